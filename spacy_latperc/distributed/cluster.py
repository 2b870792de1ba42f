"""A cluster of Ray: one that runs already, or one on this machine for a while."""

import gc
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import Errors
from ..io.user_code import import_again, imported_code

HERE = "here"  # a cluster on this machine, for as long as the work takes
RUNNING = "auto"  # the cluster that this machine is part of
EXTRA = "pip install 'spacy-latperc[ray]'"
ADDRESS = "RAY_ADDRESS"  # of the environment
LOG_LEVEL = "RAY_BACKEND_LOG_LEVEL"
LEAST_CPUS = 2  # with one, those that work leave none for those that read
_PATIENCE = 5.0  # seconds


def ray_module() -> Any:
    """Ray itself."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise ValueError(Errors.LP820.format(extra=EXTRA)) from error
    return ray


@contextmanager
def ray_cluster(address: str | None = None) -> Iterator[Any]:
    """A cluster to work on. What was started or connected here ends with the block.

    Args:
        address: Of a cluster that runs, such as "head:6379", or "auto" for that of
            this machine. Without one it is the cluster that this process is connected
            to, or that RAY_ADDRESS names, or one that is started here, on all cores.

    Raises:
        ValueError: Ray is not installed.
        ConnectionError: There is no cluster at the address, or none could be started.
    """
    ray = ray_module()
    wanted = None if address == HERE else address
    if ray.is_initialized():
        if wanted not in (None, RUNNING, ray.get_runtime_context().gcs_address):
            raise ConnectionError(
                Errors.LP822.format(
                    address=wanted, now=ray.get_runtime_context().gcs_address
                )
            )
        yield ray
        return
    _connect(ray, wanted or os.environ.get(ADDRESS) or None)
    try:
        yield ray
    finally:
        ray.shutdown()


@contextmanager
def ray_actors(ray: Any, kind: type, n: int) -> Iterator[list[Any]]:
    """Start n actors of a class, each on a core and given its number and n."""
    cpus = int(ray.cluster_resources().get("CPU", 0))
    if n > cpus:
        raise ValueError(Errors.LP846.format(workers=n, cpus=cpus))
    remote = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(kind)
    gc.collect()  # a dataset that failed holds its cores until then
    actors = [remote.remote(number, n) for number in range(n)]
    try:
        yield actors
    finally:
        for actor in actors:
            ray.kill(actor)


def _connect(ray: Any, address: str | None) -> None:
    settings: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    if code := imported_code():

        def prepare() -> None:
            import_again(code)

        settings["runtime_env"] = {"worker_process_setup_hook": prepare}
    if address is None:
        cpus = max(LEAST_CPUS, _cores())
        settings.update(address="local", num_cpus=cpus, include_dashboard=False)
    else:
        _check_address(address)
        settings["address"] = address
    try:
        with _quiet_kernel():
            ray.init(**settings)
    # Ray ends the process where it finds nobody to talk to.
    except (Exception, SystemExit) as error:
        ray.shutdown()
        said = error_line(error)
        if address is None:
            message = Errors.LP823.format(error=said, level=LOG_LEVEL)
        else:
            message = Errors.LP821.format(address=address, error=said)
        raise ConnectionError(message) from error


@contextmanager
def _quiet_kernel() -> Iterator[None]:
    """Ray's kernel writes to the terminal what helps only those who develop Ray, and
    when told not to, that it was told so."""
    if LOG_LEVEL in os.environ:
        yield
        return
    os.environ[LOG_LEVEL] = "fatal"
    terminal, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, 2)
        yield
    finally:
        os.dup2(terminal, 2)
        os.close(terminal)
        os.close(nothing)
        os.environ.pop(LOG_LEVEL, None)


def _check_address(address: str) -> None:
    """Refuse at once an address where nobody listens: Ray would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if address == RUNNING:
        return
    if not host or not port.isdigit():
        problem = "it should be a host and a port, such as head:6379"
        raise ConnectionError(Errors.LP821.format(address=address, error=problem))
    try:
        socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
    except (OSError, OverflowError) as error:
        message = Errors.LP821.format(address=address, error=error)
        raise ConnectionError(message) from error


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def error_line(error: BaseException) -> str:
    """Return the message of an error in one line."""
    said = " ".join(str(error).split())
    return said[:500] or type(error).__name__
