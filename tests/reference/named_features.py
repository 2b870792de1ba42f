"""The features of a token with names, as python-crfsuite reads them."""

from collections.abc import Iterator
from typing import Any


def items(token: Any, prefix: str = "") -> Iterator[tuple[str, float]]:
    """Yield the name and the value of each feature; those of value 0 too."""
    if not isinstance(token, dict):
        yield from ((prefix + name, 1.0) for name in token)
        return
    for name, value in token.items():
        if isinstance(value, (dict, list, tuple, set, frozenset)):
            yield from items(value, f"{prefix}{name}:")
        elif isinstance(value, str):
            yield f"{prefix}{name}:{value}", 1.0
        elif value is not None:
            yield prefix + name, float(value)
