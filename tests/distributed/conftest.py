"""A cluster of Ray for the tests of a module."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders.ray_clusters import alone

TESTS = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def one_cluster_at_a_time(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A lock for tests that start Ray themselves."""
    with alone(tmp_path_factory):
        yield


@pytest.fixture(scope="module")
def ray_nodes(one_cluster_at_a_time: None) -> Iterator[object]:
    """A cluster of two nodes with two logical CPUs each, to which the tests are
    connected. It fails if a process stays behind."""
    from builders.ray_nodes import local_nodes

    with pytest.MonkeyPatch.context() as patch:
        # Those that work import helpers of the tests, too.
        patch.setenv("PYTHONPATH", str(TESTS), prepend=os.pathsep)
        # By default Ray's workers give way to all else, and wait on a busy machine.
        patch.setenv("RAY_worker_niceness", "0")
        with local_nodes() as cluster:
            yield cluster
