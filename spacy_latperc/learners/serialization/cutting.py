"""Smaller model files, by pruning of small weights and compact coding."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ...io import model_file
from .pieces import ENSEMBLE, Arrays, Header, narrow

EXACT, BITS, FEWEST_BITS = 32, 16, 8  # of a weight in a file


def cut_weights(data: bytes, share: float) -> bytes:
    """Prune a share of the weights of a model, those nearest to 0.

    Empty rows are removed. Transitions (blocks of a single row) stay complete. The
    chains of an ensemble are pruned one by one.

    Args:
        data: A model file.
        share: The share of the weights other than 0; from 0 to below 1.
    """
    header, arrays = model_file.unpack(data)
    if not share:
        return data
    if header.get("kind") == ENSEMBLE:
        _change_parts(header, arrays, lambda part: cut_weights(part, share))
        return model_file.pack(header, arrays)
    blocks = list(_blocks(arrays))
    sizes = [_magnitudes(header, arrays, name) for name in blocks]
    if not sizes:
        return data
    every = np.concatenate(sizes)
    lost = int(share * len(every))
    if lost == 0:
        return data
    least = np.partition(every, lost)[lost]  # ties stay
    for name, size in zip(blocks, sizes, strict=True):
        _keep(arrays, name, size >= least)
    return model_file.pack(header, arrays)


# The first rows have the most frequent features. Sorting within ranges that double in
# size keeps them together, and differences of ascending keys take fewer bits.
FIRST_RANGE = 1024


def tightened(data: bytes) -> bytes:
    """Sort the rows of a model by key, range by range, and code the differences.
    Predictions do not change."""
    header, arrays = model_file.unpack(data)
    if header.get("kind") == ENSEMBLE:
        _change_parts(header, arrays, tightened)
        return model_file.pack(header, arrays)
    blocks = list(_blocks(arrays))
    for name in blocks:
        _put_in_order(arrays, name)
    return model_file.pack_tight(header, arrays, [f"{name}.keys" for name in blocks])


def _put_in_order(arrays: dict[str, np.ndarray], name: str) -> None:
    keys, sizes = arrays[f"{name}.keys"], arrays[f"{name}.sizes"].astype(np.int64)
    order = np.arange(len(keys))
    start, length = 0, FIRST_RANGE
    while start < len(keys):
        order[start : start + length] = start + np.argsort(keys[start : start + length])
        start, length = start + length, 2 * length
    begins = np.cumsum(sizes) - sizes
    moved = sizes[order]
    ends = np.cumsum(moved)
    places = np.arange(int(sizes.sum()))
    places += np.repeat(begins[order] - (ends - moved), moved)
    for part in ("keys", "sizes"):
        arrays[f"{name}.{part}"] = arrays[f"{name}.{part}"][order]
    for part in ("cells", "values"):
        arrays[f"{name}.{part}"] = arrays[f"{name}.{part}"][places]


def _change_parts(
    header: Header, arrays: dict[str, np.ndarray], change: Callable[[bytes], bytes]
) -> None:
    """Apply a change to the files of chains in a file."""
    for name in map(str, range(len(header["names"]))):
        part = change(arrays[name].tobytes())
        arrays[name] = np.frombuffer(part, dtype=np.uint8)


def _blocks(arrays: Arrays) -> Iterator[str]:
    for full in arrays:
        name, _, part = full.rpartition(".")
        if part == "values" and len(arrays[f"{name}.keys"]) > 1:
            yield name


def _magnitudes(header: Header, arrays: Arrays, name: str) -> NDArray[np.float32]:
    values = np.abs(arrays[f"{name}.values"].astype(np.float32))
    return values * np.float32(header.get(f"{name}.scale", 1.0))


def _keep(arrays: dict[str, np.ndarray], name: str, kept: NDArray[np.bool_]) -> None:
    sizes = arrays[f"{name}.sizes"].astype(np.int64)
    row = np.repeat(np.arange(len(sizes)), sizes)
    left = np.bincount(row[kept], minlength=len(sizes))
    arrays[f"{name}.keys"] = arrays[f"{name}.keys"][left > 0]
    arrays[f"{name}.sizes"] = narrow(left[left > 0])
    arrays[f"{name}.cells"] = narrow(arrays[f"{name}.cells"][kept])
    arrays[f"{name}.values"] = arrays[f"{name}.values"][kept]
