"""The memory of this process: rare garbage collections, and free memory given back."""

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# The thresholds of the garbage collector meanwhile.
RARELY = (100_000, 50, 100)


@contextmanager
def rare_collections() -> Iterator[None]:
    """Let the garbage collector run less often.

    Docs and Examples are in no reference cycle. The collector walks over all objects
    again and again: over a corpus for a quarter of the time of `fit`, over modules that
    are loaded (Ray Data's above all) for a tenth to a fifth of the time of scoring.
    """
    before = gc.get_threshold()
    if before[0]:  # 0: the collector is switched off
        gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def trim_memory() -> None:
    """Give free memory back to the system, where the C library can do so.

    Where millions of small objects were freed, large arrays would otherwise be put
    beside the room that they left.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
