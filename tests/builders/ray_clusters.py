"""Clusters of Ray for tests, one at a time.

Modules have theirs one after another, also where pytest-xdist runs them at the same
time: two clusters on one small machine would starve each other.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def alone(factory: pytest.TempPathFactory) -> Iterator[None]:
    """No other process of the same tests is in the block; without Ray, no test is."""
    pytest.importorskip("ray", reason="Ray is not installed")
    if sys.platform == "win32":
        pytest.skip("Ray has no stable release for Windows")
    import fcntl

    with (factory.getbasetemp().parent / "ray.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
