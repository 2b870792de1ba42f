"""Two scores of a sentence, as linear models over its features.

The first one is a logistic model of good and bad sentences. A curve of the length makes
probabilities right at each length.

The second compares versions of one sentence. Where a bad sentence was made from a good
one, it is fitted to the differences of the two alone (Bradley and Terry 1952): what is
only rare is in both. Sums count there, and no mean has to make up for the length.

No column may count against what it means: errors that were made are not those of real
text, and this keeps the models from learning the difference.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..calibration import descend, sigmoid
from .sentence_features import (
    CONTEXTS,
    ERRORS,
    NGRAM,
    kind_of,
    names_of,
    signs_of,
)

Floats = NDArray[np.float64]

LARGEST = 1e9  # of the weights in a file
_EQUAL = 1e-9  # spread of a column that says nothing
_PRIOR = 10.0  # sentences that say that a column is worth nothing
# What stands for a kind of evidence until the model is fitted.
_FIRST = {
    NGRAM: "above single words, mean",
    CONTEXTS: "contexts: log probability, mean",
    ERRORS: "no error, sum",
}


@dataclass(frozen=True)
class Joined:
    """The weights of features.

    Attributes:
        columns: The names of the features.
        weights: The weight of each feature in the score of a sentence.
        bias: The bias of this score.
        versions: The weights where versions of one sentence are compared; empty: the
            same as `weights`.
    """

    columns: tuple[str, ...]
    weights: tuple[float, ...]
    bias: float = 0.0
    versions: tuple[float, ...] = ()

    @classmethod
    def first(cls, kinds: Sequence[str]) -> "Joined":
        """Return the model before it is fitted: a plain sum.

        Args:
            kinds: The kinds of features.
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
        """Fit the weights.

        Args:
            kinds: The kinds of features.
            table: The features of sentences, [sentences, columns].
            good: A mask of the good sentences.
            pairs: Indices of a good sentence and a bad one that was made from it,
                [pairs, 2].
        """
        names = names_of(kinds)
        signs = np.array(signs_of(kinds), dtype=np.float64)
        weights, bias = _fit_signed(table, good, signs)
        versions: list[float] = []
        if len(pairs):
            signs = np.array(signs_of(kinds, versions=True), dtype=np.float64)
            versions = _fit_versions(table[pairs[:, 0]] - table[pairs[:, 1]], signs)
        return cls(tuple(names), tuple(weights.tolist()), bias, tuple(versions))

    def __call__(self, table: NDArray) -> Floats:
        """Return the score of each sentence, which is above 0 for most good ones.

        Args:
            table: The features of sentences, [sentences, columns].
        """
        found = np.asarray(table, dtype=np.float64) @ np.asarray(self.weights)
        return np.asarray(found + self.bias, dtype=np.float64)

    def compare(self, table: NDArray) -> Floats:
        """Return the preference of each sentence. The difference of two versions is the
        log odds that the first one is better.

        Args:
            table: The features of sentences, [sentences, columns].
        """
        if not self.versions:
            return self(table)
        return np.asarray(table, dtype=np.float64) @ np.asarray(self.versions)

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain values, for cfg."""
        saved: dict[str, Any] = {
            "columns": list(self.columns),
            "weights": list(self.weights),
            "bias": self.bias,
        }
        if self.versions:
            saved["versions"] = list(self.versions)
        return saved

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> "Joined":
        """Read and check the result of `to_dict`.

        Args:
            saved: The plain values.

        Raises:
            ValueError: The values are no such model.
        """
        wanted = {"columns", "weights", "bias"}
        if not isinstance(saved, Mapping) or saved.keys() - {"versions"} != wanted:
            raise ValueError("it must be an object with columns, weights and bias")
        columns, versions = saved["columns"], saved.get("versions", [])
        if not isinstance(columns, list) or not all(
            isinstance(x, str) and kind_of(x) for x in columns
        ):
            raise ValueError("a column is unknown")
        for weights in (saved["weights"], versions or columns):
            if not isinstance(weights, list) or len(weights) != len(columns):
                raise ValueError("there must be a weight for each column")
        for number in (*saved["weights"], *versions, saved["bias"]):
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise ValueError("weights must be numbers")
            if not abs(number) <= LARGEST:
                raise ValueError(f"weights must be from -{LARGEST:g} to {LARGEST:g}")
        return cls(
            tuple(columns),
            tuple(map(float, saved["weights"])),
            float(saved["bias"]),
            tuple(map(float, versions)),
        )


def _fit_signed(
    table: Floats, good: NDArray[np.bool_], signs: Floats
) -> tuple[Floats, float]:
    """Fit weights with the signs of their columns, and the bias."""
    middle = table.mean(axis=0)
    spread = table.std(axis=0)
    spread[spread < _EQUAL] = 1.0
    x = np.column_stack([(table - middle) / spread, np.ones(len(table))])
    y = good.astype(np.float64)
    # Of the two kinds of sentences each counts as much as the other.
    share = np.clip(y.mean(), 1e-9, 1 - 1e-9)
    weight = np.where(good, 0.5 / share, 0.5 / (1 - share))
    prior = np.append(np.full(table.shape[1], _PRIOR), 1e-6)
    found = _signed(np.append(signs, np.nan), x, y, weight, prior)
    weights = found[:-1] / spread
    return weights, float(found[-1] - weights @ middle)


def _fit_versions(differences: Floats, signs: Floats) -> list[float]:
    """Fit the weights under which the first of two versions is better, to the
    differences of their features."""
    spread = np.sqrt((differences**2).mean(axis=0))
    spread[spread < _EQUAL] = 1.0
    n, columns = differences.shape
    prior = np.full(columns, _PRIOR)
    found = _signed(signs, differences / spread, np.ones(n), np.ones(n), prior)
    return [float(x) for x in found / spread]


def _signed(
    signs: Floats, x: Floats, y: Floats, weight: Floats, prior: Floats
) -> Floats:
    """Fit the weights of least loss that have the wanted signs; NaN allows any sign."""
    wanted = np.nan_to_num(signs)
    free = signs != 0  # what is no number is not 0
    found = np.zeros(len(signs))
    while True:
        start = found[free]
        found = np.zeros(len(signs))
        found[free] = _solve(x[:, free], y, weight, prior[free], start)
        if not len(found) or (found * wanted).min() >= 0:
            return found
        free[int(np.argmin(found * wanted))] = False


def _solve(
    x: Floats, y: Floats, weight: Floats, prior: Floats, start: Floats
) -> Floats:
    """Fit the weights of least logistic loss."""

    def loss(tried: Floats) -> float:
        z = x @ tried
        return float(
            weight @ (np.logaddexp(0, z) - y * z) + (prior * tried) @ tried / 2
        )

    def step(tried: Floats) -> Floats:
        p = sigmoid(x @ tried)
        slope = x.T @ (weight * (p - y)) + prior * tried
        bend = (x.T * (weight * p * (1 - p))) @ x + np.diag(prior)
        return np.asarray(np.linalg.solve(bend, slope), dtype=np.float64)

    return descend(start, loss, step)
