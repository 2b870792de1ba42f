"""Memory that is free, and that the process still has."""

import ctypes
import sys


def give_back_memory() -> None:
    """Let the system have what is free, where the C library can do so.

    Where millions of small objects were freed, large arrays would otherwise be put
    beside the room that they left.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
