"""Do two systems differ on the same sentences?"""

from collections.abc import Sequence
from math import comb

import numpy as np

# Of a sentence: right answers, answers given, answers that are right to give.
Counts = Sequence[tuple[int, int, int]]


def p_value(x: Counts, y: Counts, *, rounds: int = 9999, seed: int = 0) -> float:
    """The share of random swaps of sentences that give a difference in F as large.

    Noreen 1989: under the null hypothesis the two systems are the same, so that each
    sentence could have come from either.
    """
    both = np.array([x, y], dtype=np.float64)
    totals = both.sum(axis=1)
    swap = np.random.default_rng(seed).random((rounds, both.shape[1])) < 0.5
    moved = swap @ (both[1] - both[0])
    shuffled = np.abs(_f(totals[0] + moved) - _f(totals[1] - moved))
    found = abs(float(_f(totals[0]) - _f(totals[1])))
    return float((1 + (shuffled >= found - 1e-12).sum()) / (rounds + 1))


def mcnemar(x: Counts, y: Counts) -> float:
    """The exact p-value of McNemar's test over sentences that are right as a whole."""
    only = [0, 0]
    for one, other in zip(x, y, strict=True):
        right = [right == given == gold for right, given, gold in (one, other)]
        for side in (0, 1):
            only[side] += right[side] and not right[1 - side]
    n, least = sum(only), min(only)
    return min(1.0, 2 * sum(comb(n, k) for k in range(least + 1)) / 2**n)


def _f(counts: np.ndarray) -> np.ndarray:
    right, given, gold = counts[..., 0], counts[..., 1], counts[..., 2]
    return 2 * right / np.maximum(given + gold, 1)
