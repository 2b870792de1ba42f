"""Several threads for one batch.

Kernels release the interpreter's lock, and sentences are independent of each other:
each thread predicts some consecutive sentences, and the results are joined in order.
They do not depend on the number of threads.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

MOST_THREADS = 256
# Handing work to a thread costs about as much as predicting a hundred tokens.
LEAST_TOKENS = 500

_pools: list[ThreadPoolExecutor] = []  # at most one, made on first use


def together(jobs: Sequence[Callable[[], T]], n: int = MOST_THREADS) -> list[T]:
    """Call functions in several threads, including this one.

    All calls have ended when this returns or raises.

    Args:
        jobs: Functions that release the interpreter's lock for most of their time.
        n: The number of threads.
    """
    n = min(n, len(jobs))
    if n <= 1:
        return [job() for job in jobs]
    if not _pools:
        _pools.append(ThreadPoolExecutor(MOST_THREADS, "latperc"))

    def work(k: int) -> list[T]:
        return [job() for job in jobs[k::n]]

    futures = [_pools[0].submit(work, k) for k in range(1, n)]
    try:
        found = [work(0)]
    finally:
        wait(futures)
    found += [future.result() for future in futures]
    return [found[i % n][i // n] for i in range(len(jobs))]


def parts_of(bounds: NDArray[np.int64], n: int) -> list[tuple[int, int]]:
    """Divide sentences into n parts with about as many tokens each, or fewer parts if
    there is little to do.

    Returns:
        The first sentence and the end of each part.
    """
    sentences = len(bounds) - 1
    if sentences < 1:
        return [(0, max(sentences, 0))]
    tokens = int(bounds[-1] - bounds[0])
    n = max(min(n, tokens // LEAST_TOKENS, sentences), 1)
    wanted = bounds[0] + tokens * np.arange(1, n) // n
    cuts = [0, *np.searchsorted(bounds, wanted).tolist(), sentences]
    return [(i, j) for i, j in zip(cuts[:-1], cuts[1:], strict=True) if i < j]


def _forget_pool() -> None:
    """Drop the pool in a forked process, which has only one thread."""
    _pools.clear()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_forget_pool)
