"""Two scores of a sentence, as linear models over its features.

The first one is a logistic model of good and bad sentences. A curve of the length makes
probabilities right at each length.

The second compares versions of one sentence. Where a bad sentence was made from a good
one, it is fitted to the differences of the two alone (Bradley and Terry 1952): what is
only rare is in both. Sums count there, and no mean has to make up for the length.

No column may count against what it means: errors that were made are not those of real
text, and this keeps the models from learning the difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..calibration import descend, sigmoid
from .sentence_features import COLUMNS, SIGNS, VERSION_SIGNS

Floats = NDArray[np.float64]

LARGEST = 1e9  # of the weights in a file
_EQUAL = 1e-9  # spread of a column that says nothing
_PRIOR = 10.0  # sentences that say that a column is worth nothing


@dataclass(frozen=True)
class Joined:
    """The weights of features.

    Attributes:
        weights: The weight of each of COLUMNS in the score of a sentence.
        bias: The bias of this score.
        versions: The weights where versions of one sentence are compared.
    """

    weights: Sequence[float]
    bias: float
    versions: Sequence[float]

    @classmethod
    def fit(cls, good: Floats, bad: Floats, differences: Floats) -> "Joined":
        """Fit the weights.

        Args:
            good: The features of good sentences, [sentences, COLUMNS].
            bad: Those of bad ones.
            differences: Those of good sentences, less those of bad ones that were made
                from them.
        """
        truth = np.arange(len(good) + len(bad)) < len(good)
        weights, bias = _fit_signed(np.concatenate([good, bad]), truth)
        versions = _fit_versions(differences)
        return cls(weights.tolist(), bias, versions.tolist())

    def __call__(self, table: NDArray) -> Floats:
        """Return the score of each sentence, which is above 0 for most good ones."""
        found = np.asarray(table, dtype=np.float64) @ np.asarray(self.weights)
        return np.asarray(found + self.bias, dtype=np.float64)

    def compare(self, table: NDArray) -> Floats:
        """Return the preference of each sentence. The difference of two versions is the
        log odds that the first one is better.
        """
        return np.asarray(table, dtype=np.float64) @ np.asarray(self.versions)

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain values, for cfg."""
        return {
            "bias": self.bias,
            "weights": dict(zip(COLUMNS, self.weights, strict=True)),
            "versions": dict(zip(COLUMNS, self.versions, strict=True)),
        }

    @classmethod
    def from_dict(cls, saved: Any) -> "Joined":
        """Read and check the result of `to_dict`."""
        if not isinstance(saved, dict) or set(saved) != {"bias", "weights", "versions"}:
            raise ValueError("it must be an object with bias, weights and versions")
        numbers = [saved["bias"]]
        for name in ("weights", "versions"):
            if not isinstance(saved[name], dict) or tuple(saved[name]) != COLUMNS:
                raise ValueError(f"{name} must have a number for each column")
            numbers += saved[name].values()
        for number in numbers:
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise ValueError("weights must be numbers")
            if not abs(number) <= LARGEST:
                raise ValueError(f"weights must be from -{LARGEST:g} to {LARGEST:g}")
        n = len(COLUMNS)
        return cls(numbers[1 : n + 1], float(saved["bias"]), numbers[n + 1 :])


def _fit_signed(table: Floats, good: NDArray[np.bool_]) -> tuple[Floats, float]:
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
    found = _signed([*SIGNS.values(), np.nan], x, y, weight, prior)
    weights = found[:-1] / spread
    return weights, float(found[-1] - weights @ middle)


def _fit_versions(differences: Floats) -> Floats:
    """Fit the weights under which the first of two versions is better, to the
    differences of their features."""
    spread = np.sqrt((differences**2).mean(axis=0))
    spread[spread < _EQUAL] = 1.0
    n, columns = differences.shape
    prior = np.full(columns, _PRIOR)
    signs = list(VERSION_SIGNS.values())
    found = _signed(signs, differences / spread, np.ones(n), np.ones(n), prior)
    return np.asarray(found / spread)


def _signed(
    signs: Sequence[float], x: Floats, y: Floats, weight: Floats, prior: Floats
) -> Floats:
    """Fit the weights of least loss that have the wanted signs; NaN allows any sign."""
    wanted = np.nan_to_num(signs)
    free = np.asarray(signs) != 0  # what is no number is not 0
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
