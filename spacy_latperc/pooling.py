"""Posteriors of several models joined in log space, and what each of them is worth.

A logarithmic opinion pool (Genest and Zidek 1986, Combining probability distributions):
the score of a label is the sum of its log probabilities under the models, each with a
weight. Weights are fitted on held-out data. Arrays only.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .calibration import fit_temperature

Table = NDArray[np.float64]  # [tokens, labels]
# So unlikely is what a model calls impossible: others may still outvote it.
LEAST = 1e-12
ROUNDS = 2
WORST = -1e6


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
