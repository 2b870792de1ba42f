"""Clusters: connected, started, and what is said when there is none."""

import socket
import sys

import pytest
from builders.ray_nodes import local_nodes, processes_of_nodes, wait_for_end

from spacy_latperc.distributed.cluster import ray_cluster

pytestmark = pytest.mark.ray


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def test_cluster_without_ray_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"LP820.*spacy-latperc\[ray\]"), ray_cluster():
        pass


@pytest.mark.parametrize("address", ["127.0.0.1:{port}", "nonsense", "localhost:xx"])
def test_cluster_that_does_not_answer(address, one_cluster_at_a_time):
    address = address.format(port=free_port())
    with pytest.raises(ConnectionError, match="LP821"), ray_cluster(address):
        pass


def test_cluster_of_nodes_leaves_no_process_behind(one_cluster_at_a_time):
    before = processes_of_nodes()
    with local_nodes() as cluster:
        assert len(processes_of_nodes()) > len(before)
        with ray_cluster() as ray:  # that one, and it stays
            assert ray.cluster_resources()["CPU"] == 4
        with ray_cluster(cluster.address) as ray:
            assert len(ray.nodes()) == 2
        with pytest.raises(ConnectionError, match="LP822"), ray_cluster("127.0.0.1:1"):
            pass
        assert ray.is_initialized()
    assert processes_of_nodes() == before


def test_cluster_started_here_ends_with_the_block(one_cluster_at_a_time):
    before = processes_of_nodes()
    with ray_cluster() as ray:
        assert ray.cluster_resources()["CPU"] >= 2
        started = processes_of_nodes().keys() - before
        assert started
    assert not ray.is_initialized()
    wait_for_end(dict.fromkeys(started, "of Ray"))
