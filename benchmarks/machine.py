"""The machine that the figures belong to, and how a process is tied to one core."""

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("spacy-latperc", "spacy", "thinc", "numpy", "python-crfsuite", "nltk")
ONE_THREAD = {
    f"{library}_NUM_THREADS": "1"
    for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB", "NUMEXPR")
}


def pin_to_one_core() -> int | None:
    """Tie this process and those that it starts to one core; None where that is not
    possible. RETURNS: the core."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0))  # system work tends to be on the first ones
    os.sched_setaffinity(0, {core})
    return core


def describe_machine() -> dict[str, str | int | None]:
    """Processor, system and versions, as they go into the report."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "architecture": platform.machine(),
        "python": platform.python_version(),
        **{package: _version(package) for package in PACKAGES},
    }


def peak_memory() -> float:
    """Most memory that this process ever held, in MB (10^6 bytes); nan when the system
    does not tell."""
    status = Path("/proc/self/status")
    if status.exists():
        # ru_maxrss survives exec, so a child could show the peak of its parent.
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    try:
        import resource
    except ImportError:
        return float("nan")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
