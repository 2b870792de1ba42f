"""Calibration of probabilities and measures of its quality, over arrays only.

Confidences are calibrated when four in five of the answers given 0.8 are right.
Guo, Pleiss, Sun and Weinberger 2017 (On calibration of modern neural networks):
expected calibration error (equation 3), one temperature fitted on held-out data
(section 4.2). Kull, Silva Filho and Flach 2017 (Beta calibration): the curve after it,
three numbers, of which Platt's line through the log odds is the case low = high.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

BINS = 15
THRESHOLDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
COLDEST, HOTTEST = 1e-3, 1e3
_GRID = 13
_TOLERANCE = 1e-3  # of the logarithm of the temperature
_GOLDEN = (math.sqrt(5) - 1) / 2
_SMALLEST = 1e-12


@dataclass(frozen=True)
class Calibration:
    """A map from scores to probabilities: the model's own at this temperature, then,
    for those of answers, a curve: its slope in the log odds is `low` where they are
    improbable and `high` where they are probable."""

    temperature: float = 1.0
    low: float = 1.0
    high: float = 1.0
    bias: float = 0.0

    def __call__(self, probabilities: ArrayLike) -> Floats:
        """The probabilities of answers, from the model's at the temperature."""
        given = np.asarray(probabilities, dtype=np.float64)
        if [self.low, self.high, self.bias] == [1.0, 1.0, 0.0]:
            return given
        # What is certain stays certain: kept entities, and what a mask forces.
        bent = sigmoid(self.curve(given))
        return np.where((given <= 0) | (given >= 1), given, bent)

    def curve(self, probabilities: ArrayLike) -> Floats:
        """The log odds of answers, from the model's probabilities."""
        curve = np.array([self.low, self.high, self.bias])
        return np.asarray(_curve_features(probabilities) @ curve, dtype=np.float64)


@dataclass(frozen=True)
class Bin:
    """Answers whose confidence is from `low` to `high`: their number, their mean
    confidence, and the share of them that is right."""

    low: float
    high: float
    answers: int
    confidence: float
    accuracy: float


@dataclass(frozen=True)
class Cut:
    """The answers that remain above a threshold.

    Attributes:
        error: Standard error of the precision.
    """

    threshold: float
    answers: int
    precision: float
    recall: float
    f: float
    error: float


def log_odds(probabilities: ArrayLike) -> Floats:
    """Log odds, finite also of what is certain."""
    p = np.clip(np.asarray(probabilities, np.float64), _SMALLEST, 1 - _SMALLEST)
    return np.log(p) - np.log1p(-p)


def sigmoid(values: Floats) -> Floats:
    """The probabilities that have these log odds."""
    return 1 / (1 + np.exp(-np.clip(values, -700, 700)))


def log_loss(probabilities: ArrayLike, correct: ArrayLike) -> float:
    """Mean negative log probability of what turned out; 0.0 without answers."""
    p = np.clip(np.asarray(probabilities, np.float64), _SMALLEST, 1 - _SMALLEST)
    right = np.asarray(correct, dtype=bool)
    if not len(p):
        return 0.0
    return float(-np.where(right, np.log(p), np.log1p(-p)).mean())


def reliability(
    probabilities: ArrayLike, correct: ArrayLike, bins: int = BINS
) -> list[Bin]:
    """The answers by confidence, in bins of equal width; empty ones are left out."""
    p = np.asarray(probabilities, dtype=np.float64)
    right = np.asarray(correct, dtype=np.float64)
    place = np.minimum((p * bins).astype(np.int64), bins - 1)
    numbers = np.bincount(place, minlength=bins)
    confidence = np.bincount(place, weights=p, minlength=bins)
    accuracy = np.bincount(place, weights=right, minlength=bins)
    return [
        Bin(b / bins, (b + 1) / bins, n, confidence[b] / n, accuracy[b] / n)
        for b, n in enumerate(numbers.tolist())
        if n
    ]


def expected_calibration_error(
    probabilities: ArrayLike, correct: ArrayLike, bins: int = BINS
) -> float:
    """Mean distance of confidence and accuracy over bins of equal width, each weighted
    by its answers; 0.0 without answers."""
    table = reliability(probabilities, correct, bins)
    total = sum(entry.answers for entry in table)
    return sum(
        entry.answers / total * abs(entry.confidence - entry.accuracy)
        for entry in table
    )


def threshold_table(
    probabilities: ArrayLike,
    correct: ArrayLike,
    n_gold: int,
    thresholds: Sequence[float] = THRESHOLDS,
) -> list[Cut]:
    """Precision and recall at each threshold; an empty rest has precision 1.

    Args:
        probabilities: Of the answers.
        correct: Whether each is right.
        n_gold: How many right answers there are to be found.
        thresholds: Where to cut.
    """
    p = np.asarray(probabilities, dtype=np.float64)
    right = np.asarray(correct, dtype=bool)
    table = []
    for threshold in thresholds:
        kept = p >= threshold
        n, hits = int(kept.sum()), int((kept & right).sum())
        precision = hits / n if n else 1.0
        recall = hits / n_gold if n_gold else 0.0
        both = precision + recall
        f = 2 * precision * recall / both if both else 0.0
        error = math.sqrt(precision * (1 - precision) / n) if n else 0.0
        table.append(Cut(threshold, n, precision, recall, f, error))
    return table


def fit_temperature(loss: Callable[[float], float]) -> float:
    """The temperature with the least loss: golden-section search on its logarithm,
    around the best point of a coarse grid (the loss may have several valleys)."""
    grid = np.linspace(math.log(COLDEST), math.log(HOTTEST), _GRID)
    losses = [loss(math.exp(x)) for x in grid]
    best = int(np.argmin(losses))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = loss(math.exp(left)), loss(math.exp(right))
    while high - low > _TOLERANCE:
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = loss(math.exp(left))
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = loss(math.exp(right))
    return math.exp((low + high) / 2)


def fit_curve(probabilities: ArrayLike, correct: ArrayLike) -> tuple[float, ...]:
    """`low`, `high` and `bias` of the least log loss, by Newton's method, with a prior
    worth an answer that they change nothing: it keeps them finite when every answer is
    right. The first two stay at 0 or above, so that answers keep their order."""
    x = _curve_features(probabilities)
    right = np.asarray(correct, dtype=np.float64)
    free = np.ones(3, dtype=bool)
    while True:
        found = _fit_free(x, right, free)
        lowest = int(np.argmin(found[:2]))
        if found[lowest] >= 0:
            low, high, bias = found.tolist()
            return low, high, bias
        free[lowest] = False


def fit_line(margins: ArrayLike, positive: ArrayLike) -> Calibration:
    """The line through margins whose sigmoid says best which of them are positive
    (Platt 1999, Probabilistic outputs for support vector machines): a temperature, and
    a bias. His targets, a little off 0 and 1, keep it finite where margins tell all."""
    given = np.asarray(margins, dtype=np.float64)
    right = np.asarray(positive, dtype=bool)
    n, hits = len(right), int(right.sum())
    target = np.where(right, (hits + 1) / (hits + 2), 1 / (n - hits + 2))
    # In units of their spread, so that steps have one size whatever the weights are.
    spread = float(np.sqrt(np.mean(given**2))) if n else 0.0
    spread = spread or 1.0
    x = np.stack([given / spread, np.ones(n)], axis=1)

    def loss(tried: Floats) -> float:
        z = x @ tried
        return float((np.logaddexp(0, z) - target * z).sum())

    def step(weights: Floats) -> Floats:
        p = sigmoid(x @ weights)
        bend = (x.T * (p * (1 - p))) @ x + 1e-9 * np.eye(2)
        return np.asarray(np.linalg.solve(bend, x.T @ (p - target)), np.float64)

    weights = descend(np.array([1.0, 0.0]), loss, step)
    # Margins that point the wrong way say nothing; their order is kept.
    slope = max(float(weights[0]), 1e-6) / spread
    return Calibration(temperature=1 / slope, bias=float(weights[1]))


def _curve_features(probabilities: ArrayLike) -> Floats:
    p = np.clip(np.asarray(probabilities, np.float64), _SMALLEST, 1 - _SMALLEST)
    return np.stack([np.log(p), -np.log1p(-p), np.ones_like(p)], axis=1)


def _fit_free(x: Floats, right: Floats, free: Bools) -> Floats:
    """The best weights, those that are not free at 0."""
    prior = np.array([1.0, 1.0, 0.0])
    weights = np.where(free, prior, 0.0)

    def loss(tried: Floats) -> float:
        z = x @ tried
        distance = (tried - prior)[free]
        return float((np.logaddexp(0, z) - right * z).sum() + distance @ distance / 2)

    def step(tried: Floats) -> Floats:
        p = sigmoid(x @ tried)
        slope = (x.T @ (p - right) + tried - prior)[free]
        bend = (x.T * (p * (1 - p))) @ x + np.eye(3)
        change = np.zeros(3)
        change[free] = np.linalg.solve(bend[np.ix_(free, free)], slope)
        return change

    return descend(weights, loss, step)


def descend(
    weights: Floats,
    loss: Callable[[Floats], float],
    step: Callable[[Floats], Floats],
) -> Floats:
    """Newton's method, with steps halved until the loss falls."""
    now = loss(weights)
    for _ in range(100):
        change, size = step(weights), 1.0
        while size > 1e-10 and loss(weights - size * change) >= now:
            size /= 2
        if size <= 1e-10:
            break
        weights = weights - size * change
        now = loss(weights)
    return weights
