"""Random numbers that are a pure function of seed and position (splitmix64): the same
on every platform and with every release of numpy."""

import numpy as np
from numpy.typing import NDArray

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = (x ^ (x >> np.uint64(30))) * _FIRST
    x = (x ^ (x >> np.uint64(27))) * _SECOND
    return x ^ (x >> np.uint64(31))


def random_bits(n: int, *seeds: int) -> NDArray[np.uint64]:
    """Return n random numbers of 64 bits."""
    state = np.zeros(1, dtype=np.uint64)
    for seed in seeds:
        state = _mix(state + np.uint64(seed % 2**64) + _STEP)
    return _mix(state + _STEP * np.arange(1, n + 1, dtype=np.uint64))


def fractions(n: int, *seeds: int) -> NDArray[np.float64]:
    """Return n random numbers in [0, 1)."""
    bits = random_bits(n, *seeds) >> np.uint64(11)
    return bits.astype(np.float64) * 2.0**-53


def random_order(n: int, *seeds: int) -> NDArray[np.int64]:
    """Return a random permutation of 0 .. n - 1."""
    return np.argsort(random_bits(n, *seeds), kind="stable")
