"""Several nodes of Ray on this machine, each of them like a machine of its own."""

import os
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from spacy_latperc.distributed.cluster import LEAST_CPUS, ray_module

MEGABYTE = 1 << 20
_PATIENCE = 20.0  # seconds


@contextmanager
def local_nodes(n=2, *, cpus=LEAST_CPUS, store=150 * MEGABYTE, connect=True):
    """Nodes of Ray, which end with the block; the cluster has an `address`, and can
    remove nodes and add others.

    cpus: that each node believes to have, for work and for reading. store: bytes for
    objects, on each node. connect: whether this process is connected to them.
    """
    ray = ray_module()
    from ray.cluster_utils import Cluster

    node: dict[str, Any] = {"num_cpus": cpus, "object_store_memory": store}
    cluster = Cluster(initialize_head=True, head_node_args=node)
    try:
        for _ in range(n - 1):
            cluster.add_node(**node)
        if connect:
            ray.init(address=cluster.address, log_to_driver=False)
        yield cluster
    finally:
        started = processes_of_nodes()
        ray.shutdown()
        cluster.shutdown()
        wait_for_end(started)


def processes_of_nodes() -> dict[int, str]:
    """The processes of Ray that this process has started, by id, with their commands.
    Where there is no /proc, none.
    """
    parents: dict[int, int] = {}
    commands: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it may have ended
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                parents[int(folder.name)] = int(parent)
                content = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                commands[int(folder.name)] = content.decode(errors="replace")
    found = {os.getpid()}
    while more := {pid for pid, up in parents.items() if up in found} - found:
        found |= more
    # A fork server has the paths of its parent, of which some are Ray's.
    return {
        pid: command
        for pid in found
        if "ray" in (command := commands.get(pid, "")) and "forkserver" not in command
    }


def wait_for_end(started: dict[int, str]) -> None:
    """Wait until processes are gone, whoever is their parent now."""
    end = time.monotonic() + _PATIENCE
    while left := [pid for pid in started if pid != os.getpid() and _runs(pid)]:
        if time.monotonic() > end:
            names = ", ".join(f"{pid} ({started[pid][:60]})" for pid in left)
            raise RuntimeError(f"Ray left processes behind: {names}")
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
