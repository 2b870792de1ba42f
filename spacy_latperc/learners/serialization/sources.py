"""What sources of attributes know, in a model file."""

from typing import Any

import numpy as np

from ...features.sources import Source, Sources
from .pieces import Arrays


def describe_sources(sources: Sources) -> dict[str, Any]:
    """What a model file must agree with; nothing where there are no sources."""
    if not sources:
        return {}
    listed = {
        name: {"kind": source.kind, **source.settings()}
        for name, source in sources.items()
    }
    return {"sources": listed}


def write_sources(sources: Sources) -> dict[str, np.ndarray]:
    """One array for each source."""
    return {
        _place(name): np.frombuffer(source.to_bytes(), dtype=np.uint8)
        for name, source in sources.items()
    }


def read_sources(arrays: Arrays, sources: Sources) -> dict[str, Source]:
    """Fresh sources with these settings, knowing what a file says. Those that are given
    do not change."""
    fresh = {name: source.blank() for name, source in sources.items()}
    for name, source in fresh.items():
        source.from_bytes(arrays[_place(name)].tobytes())
    return fresh


def _place(name: str) -> str:
    return f"source.{name}"
