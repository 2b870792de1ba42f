"""The knowledge of attribute sources in a model file."""

from typing import Any

import numpy as np

from ...features.sources import Source, Sources
from .pieces import Arrays


def describe_sources(sources: Sources) -> dict[str, Any]:
    """Describe the sources that a model file must have; empty without sources."""
    if not sources:
        return {}
    listed = {
        name: {"kind": source.kind, **source.settings()}
        for name, source in sources.items()
    }
    return {"sources": listed}


def write_sources(sources: Sources) -> dict[str, np.ndarray]:
    """Serialize each source to an array."""
    return {
        _place(name): np.frombuffer(source.to_bytes(), dtype=np.uint8)
        for name, source in sources.items()
    }


def read_sources(arrays: Arrays, sources: Sources) -> dict[str, Source]:
    """Load new sources with the settings of the given ones, which do not change."""
    fresh = {name: source.blank() for name, source in sources.items()}
    for name, source in fresh.items():
        source.from_bytes(arrays[_place(name)].tobytes())
    return fresh


def _place(name: str) -> str:
    return f"source.{name}"
