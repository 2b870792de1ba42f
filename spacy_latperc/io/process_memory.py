"""Memory management of the process: garbage collection and the heap."""

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# The thresholds of the garbage collector in `rare_collections`.
RARELY = (100_000, 50, 100)


@contextmanager
def rare_collections() -> Iterator[None]:
    """Let the garbage collector run less often.

    Docs and Examples have no reference cycles, but the collector visits all objects
    repeatedly, which takes a quarter of the time of `fit` and up to a fifth of scoring.
    """
    before = gc.get_threshold()
    if before[0]:  # 0: the collector is switched off
        gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def trim_memory() -> None:
    """Return free memory to the system, if the C library supports it. Otherwise large
    arrays do not fit the gaps that millions of small objects leave."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
