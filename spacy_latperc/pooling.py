"""Posteriors of several models joined in log space, and what each of them is worth.

A logarithmic opinion pool (Genest and Zidek 1986, Combining probability distributions):
the score of a label is the sum of its log probabilities under the models, each with a
weight. Weights are fitted on held-out data. Arrays only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .calibration import descend, fit_temperature

Table = NDArray[np.float64]  # [tokens, labels]
# So unlikely is what a model calls impossible: others may still outvote it.
LEAST = 1e-12
ROUNDS = 2
WORST = -1e6


@dataclass(frozen=True)
class Pool:
    """The weight of each model and the temperature of its probabilities."""

    weights: list[float]
    temperatures: list[float]


def log_table(probabilities: NDArray, says: NDArray[np.bool_]) -> Table:
    """The answers of one model, mapped to the labels of another.

    Args:
        probabilities: Of its labels, [tokens, own labels]; NaN where it has no opinion.
        says: Which of its labels may stand for each of the others, [own, others].

    Returns:
        Log probabilities that a label of its own is one of those: [tokens, others].
    """
    given = np.asarray(probabilities, dtype=np.float64)
    blank = np.asarray(np.isnan(given).any(axis=1))
    table = np.log(np.clip(np.where(blank[:, None], 1.0, given) @ says, LEAST, 1.0))
    table[blank] = 0.0
    return table


def pool(tables: Sequence[Table], weights: Sequence[float]) -> Table:
    """The scores of labels by all models together."""
    joined = np.zeros_like(tables[0])
    for table, weight in zip(tables, weights, strict=True):
        joined += weight * table
    return joined


def fit_weights(tables: Sequence[Table], gold: NDArray[np.int32]) -> list[float]:
    """The weights, none below 0, under which the gold labels of tokens are most
    probable, where a label's probability is the softmax of its pooled score.

    The loss is convex; a prior worth one token keeps weights near 1 finite when all
    models are always right. A model that does harm gets 0.

    Args:
        tables: Of each model.
        gold: Of the tokens; below 0 where it is not known.
    """
    known = gold >= 0
    x = np.stack([table[known] for table in tables], axis=-1)
    right = x[np.arange(len(x)), gold[known]]
    free = np.ones(len(tables), dtype=bool)
    while True:
        found = _fit_free(x, right, free)
        lowest = int(np.argmin(found))
        if found[lowest] >= 0:
            return [float(weight) for weight in found]
        free[lowest] = False


def improbability(scores: NDArray[np.float64], possible: NDArray[np.bool_]) -> float:
    """Compute the loss of fitting from the log probabilities of gold sentences.

    Sentences that no chain can produce do not count; others must stay possible.
    """
    counted = scores[possible]
    return -float(np.where(np.isfinite(counted), counted, WORST).sum())


def fit_start(loss: Callable[[list[float], float], float], n: int) -> list[float]:
    """Weights of n models whose log probabilities a chain starts from: one after the
    other, beside the temperature of the chain, as long as it takes to settle."""
    weights = [1.0] * n
    for _ in range(ROUNDS):
        temperature = fit_temperature(lambda value: loss(weights, value))
        for i in range(n):

            def try_weight(value: float, i: int = i, t: float = temperature) -> float:
                return loss([*weights[:i], value, *weights[i + 1 :]], t)

            best = fit_temperature(try_weight)  # any positive number
            weights[i] = min((best, 0.0), key=try_weight)
    return weights


def _fit_free(x: NDArray, right: NDArray, free: NDArray[np.bool_]) -> NDArray:
    """Newton's method for the weights that are free; the others are 0."""

    def loss(weights: NDArray) -> float:
        scores = x @ weights
        most = scores.max(axis=1)
        log_z = most + np.log(np.exp(scores - most[:, None]).sum(axis=1))
        apart = (weights - 1.0)[free]
        return float((log_z - right @ weights).sum() + apart @ apart / 2)

    def step(weights: NDArray) -> NDArray:
        scores = x @ weights
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        mean = np.einsum("tl,tlm->tm", p, x)
        slope = (mean - right).sum(axis=0) + weights - 1.0
        bend = np.einsum("tl,tlm,tlk->mk", p, x, x, optimize=True) - mean.T @ mean
        bend += np.eye(len(weights))
        change = np.zeros(len(weights))
        change[free] = np.linalg.solve(bend[np.ix_(free, free)], slope[free])
        return change

    return descend(np.where(free, 1.0, 0.0), loss, step)
