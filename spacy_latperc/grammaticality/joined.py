"""Several kinds of evidence joined to one score of a sentence: a logistic model over
few columns.

It is fitted to sentences that are good or not. Where a bad sentence was made from a
good one, the two are also compared with each other (Bradley and Terry 1952), which
tells what is wrong from what is only rare. No column may count against what it means:
errors that were made are not those of real text, and this keeps the model from learning
the difference. The length comes last, and makes probabilities right at each length.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..calibration import descend, sigmoid
from .evidence import (
    CLASSES,
    ERRORS,
    KINDS,
    LATENT,
    LENGTH,
    NGRAM,
    columns_of,
    names_of,
    signs_of,
)

Floats = NDArray[np.float64]

LARGEST = 1e9  # of the weights in a file
_EQUAL = 1e-9  # spread of a column that says nothing
_PAIRS = 10.0  # what a pair counts beside a sentence
_PRIOR = 10.0  # sentences that say that a column is worth nothing
# What stands for a kind of evidence until the model is fitted.
_FIRST = {
    LATENT: "latent margin",
    NGRAM: "above single words, mean",
    CLASSES: "classes: log probability, mean",
    ERRORS: "no error, mean",
}


@dataclass(frozen=True)
class Joined:
    """What each column of the evidence is worth.

    Attributes:
        columns: Their names.
        weights: Of each.
        bias: What is added.
    """

    columns: tuple[str, ...]
    weights: tuple[float, ...]
    bias: float = 0.0

    @classmethod
    def first(cls, kinds: Sequence[str]) -> "Joined":
        """What stands for the model until it is fitted: a plain sum.

        Args:
            kinds: Of evidence.
        """
        names = names_of(kinds)
        wanted = [_FIRST.get(kind) for kind in kinds]
        return cls(tuple(names), tuple(float(name in wanted) for name in names))

    @classmethod
    def fit(
        cls,
        kinds: Sequence[str],
        table: Floats,
        good: NDArray[np.bool_],
        pairs: NDArray[np.int64],
    ) -> "Joined":
        """The weights under which sentences are told apart best.

        Args:
            kinds: Of evidence.
            table: Of sentences, [sentences, columns].
            good: Whether each is.
            pairs: Numbers of sentences, [pairs, 2]: a good one, and a bad one that was
                made from it.
        """
        names = names_of(kinds)
        curve = np.array([name in columns_of(LENGTH) for name in names])
        signs = np.array(signs_of(kinds), dtype=np.float64)
        weights, bias = _fit_signed(table, good, pairs, np.where(curve, 0.0, signs))
        if curve.any():
            scores = table @ weights + bias
            after = np.column_stack([scores, table[:, curve]])
            signs = np.append(1.0, np.full(int(curve.sum()), np.nan))
            more, bias_after = _fit_signed(after, good, pairs[:0], signs)
            weights, bias = weights * more[0], bias * more[0] + bias_after
            weights[curve] = more[1:]
        return cls(tuple(names), tuple(weights.tolist()), bias)

    def __call__(self, table: NDArray) -> Floats:
        """The score of each sentence, above 0 for one that is rather good.

        Args:
            table: Of sentences, [sentences, columns].
        """
        found = np.asarray(table, dtype=np.float64) @ np.asarray(self.weights)
        return np.asarray(found + self.bias, dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """As cfg has it."""
        return {
            "columns": list(self.columns),
            "weights": list(self.weights),
            "bias": self.bias,
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> "Joined":
        """What `to_dict` gave, checked.

        Args:
            saved: It.

        Raises:
            ValueError: It is something else.
        """
        if not isinstance(saved, Mapping) or set(saved) != {
            "columns",
            "weights",
            "bias",
        }:
            raise ValueError("it must be an object with columns, weights and bias")
        known = {name for kind in KINDS for name in columns_of(kind)}
        columns, weights = saved["columns"], saved["weights"]
        if not isinstance(columns, list) or not all(x in known for x in columns):
            raise ValueError("a column is unknown")
        if not isinstance(weights, list) or len(weights) != len(columns):
            raise ValueError("there must be a weight for each column")
        for number in (*weights, saved["bias"]):
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise ValueError("weights must be numbers")
            if not abs(number) <= LARGEST:
                raise ValueError(f"weights must be from -{LARGEST:g} to {LARGEST:g}")
        return cls(tuple(columns), tuple(map(float, weights)), float(saved["bias"]))


def _fit_signed(
    table: Floats,
    good: NDArray[np.bool_],
    pairs: NDArray[np.int64],
    signs: Floats,
) -> tuple[Floats, float]:
    """Weights of columns, and the bias: none against the sign of its column. Where the
    sign is 0 the weight is 0; where it is no number, it is free."""
    middle = table.mean(axis=0)
    spread = table.std(axis=0)
    spread[spread < _EQUAL] = 1.0
    every = np.column_stack([(table - middle) / spread, np.ones(len(table))])
    y = good.astype(np.float64)
    # Of the two kinds of sentences each counts as much as the other.
    shares = np.clip(y.mean(), 1e-9, 1 - 1e-9)
    weight = np.where(good, 0.5 / shares, 0.5 / (1 - shares))
    between = every[pairs[:, 0]] - every[pairs[:, 1]]
    wanted = np.append(np.nan_to_num(signs), 0.0)
    free = np.append(signs != 0, True)  # what is no number is not 0
    while True:
        prior = np.where(np.flatnonzero(free) < table.shape[1], _PRIOR, 1e-6)
        found = np.zeros(len(free))
        found[free] = _solve(every[:, free], y, weight, between[:, free], prior)
        worst = int(np.argmin(found * wanted))
        if found[worst] * wanted[worst] >= 0:
            weights = found[:-1] / spread
            return weights, float(found[-1] - weights @ middle)
        free[worst] = False


def _solve(x: Floats, y: Floats, weight: Floats, d: Floats, prior: Floats) -> Floats:
    """The weights of least loss over sentences, x, and over differences in pairs, d."""

    def loss(tried: Floats) -> float:
        z = x @ tried
        fits = weight @ (np.logaddexp(0, z) - y * z)
        apart = _PAIRS * np.logaddexp(0, -(d @ tried)).sum()
        return float(fits + apart + (prior * tried) @ tried / 2)

    def step(tried: Floats) -> Floats:
        p, q = sigmoid(x @ tried), sigmoid(-(d @ tried))
        slope = x.T @ (weight * (p - y)) - _PAIRS * d.T @ q + prior * tried
        bend = (x.T * (weight * p * (1 - p))) @ x
        bend += _PAIRS * (d.T * (q * (1 - q))) @ d + np.diag(prior)
        return np.asarray(np.linalg.solve(bend, slope), dtype=np.float64)

    return descend(np.zeros(x.shape[1]), loss, step)
