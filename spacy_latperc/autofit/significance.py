"""A test of the difference of two systems on the same sentences."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Right, predicted and gold answers of a sentence.
Counts = Sequence[tuple[int, int, int]] | NDArray[np.int64]
ROUNDS = 500  # swaps that are drawn at a time


def p_value(x: Counts, y: Counts, *, rounds: int = 9999, seed: int = 0) -> float:
    """Return the share of random swaps of sentences that give a difference in F as
    large: approximate randomisation.

    Noreen 1989: under the null hypothesis the two systems are the same, so that each
    sentence could have come from either.
    """
    both = np.array([x, y], dtype=np.float64)
    totals = both.sum(axis=1)
    found = abs(float(_f(totals[0]) - _f(totals[1]))) - 1e-12
    change = both[1] - both[0]
    change = change[change.any(axis=1)]
    draw, at_least = np.random.default_rng(seed), 1
    for at in range(0, rounds, ROUNDS):
        size = min(ROUNDS, rounds - at), len(change)
        moved = (draw.random(size) < 0.5) @ change
        shuffled = np.abs(_f(totals[0] + moved) - _f(totals[1] - moved))
        at_least += int((shuffled >= found).sum())
    return at_least / (rounds + 1)


def _f(counts: np.ndarray) -> np.ndarray:
    right, given, gold = counts[..., 0], counts[..., 1], counts[..., 2]
    return 2 * right / np.maximum(given + gold, 1)
