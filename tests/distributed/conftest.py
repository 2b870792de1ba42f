"""A cluster of Ray for the tests of a module.

Modules have it one after another, also where pytest-xdist runs them at the same time:
two clusters on one small machine would starve each other.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """No other process of the tests is in the same block."""
    import fcntl

    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="module")
def one_cluster_at_a_time(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """For tests that start Ray themselves."""
    pytest.importorskip("ray", reason="Ray is not installed")
    if sys.platform == "win32":
        pytest.skip("Ray has no stable release for Windows")
    with alone(tmp_path_factory.getbasetemp().parent / "ray.lock"):
        yield


@pytest.fixture(scope="module")
def ray_nodes(one_cluster_at_a_time: None) -> Iterator[object]:
    """A cluster of two nodes with two logical CPUs each, to which the tests are
    connected. It fails if a process stays behind."""
    from benchmarks.ray_nodes import local_nodes

    with local_nodes() as cluster:
        yield cluster
