"""Python's garbage collector, where very many Docs are made."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# What the collector waits for meanwhile.
RARELY = (100_000, 50, 100)


@contextmanager
def rare_collections() -> Iterator[None]:
    """Let the garbage collector look less often.

    Docs and Examples are no part of a cycle and go without it. Meanwhile it walks over
    all that is there again and again: over a corpus for a quarter of the time of `fit`,
    over modules that are loaded (Ray Data's above all) for a tenth to a fifth of the
    time of scoring.
    """
    before = gc.get_threshold()
    if before[0]:  # 0: somebody wants none
        gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
