"""The pieces of a model file. Reading checks them, since a checksum does not prove that
they were valid when written."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...features.sources import Source, Sources
from ...io import model_file

Header = Mapping[str, Any]
Arrays = Mapping[str, np.ndarray]
# Masks of labels that may follow, begin and end; None for all.
Rules = dict[str, NDArray[np.bool_] | None]
# Keys, sizes, cells and values of a block, as FrozenChain exports and fills it.
Rows = tuple[np.ndarray, ...]

# Keeps sums of weights along a sentence finite.
LARGEST_WEIGHT = 1e30

# The kind of a file that contains files of chains.
ENSEMBLE = "voting"

LONGEST_CHECKED = 64  # tokens
_PARTS = ("keys", "sizes", "cells", "values")


def write_rules(rules: Rules) -> dict[str, np.ndarray]:
    """Pack the rules as bits."""
    return {
        name: np.packbits(np.asarray(rule, dtype=bool).reshape(-1))
        for name, rule in rules.items()
        if rule is not None
    }


def write_rows(
    header: dict[str, Any], name: int | str, rows: Rows, bits: int
) -> dict[str, np.ndarray]:
    """Code the arrays of a block in few bytes; their scale goes into the header.

    Args:
        header: The header of the file.
        name: The name of the block, in the names of its arrays.
        rows: The rows of the block.
        bits: 32 keeps the values exactly; 16 rounds them to 65,535 steps, 8 to 255.
    """
    keys, sizes, cells, values = rows
    if bits <= 16:
        values, header[f"{name}.scale"] = _rounded(values, bits)
    small = (keys, narrow(sizes), narrow(cells), values)
    return {f"{name}.{part}": array for part, array in zip(_PARTS, small, strict=True)}


def _rounded(values: np.ndarray, bits: int) -> tuple[np.ndarray, float]:
    """Round values to 2 ** bits - 1 steps; return them and the length of a step."""
    most = (1 << (bits - 1)) - 1
    step = float(np.abs(values).max(initial=0.0)) / most or 1.0
    return np.rint(values / step).astype(np.int16), step


def open_model(
    data: bytes, kind: str, description: Mapping[str, Any], other_kind: str
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read the header and the arrays of a model file."""
    header, arrays = model_file.unpack(data)
    if header.get("kind") != kind:
        raise ValueError(other_kind.format(kind=header.get("kind")))
    check_description(header, description)
    return header, arrays


def check_description(header: Header, description: Mapping[str, Any]) -> None:
    """Refuse a header that does not agree with a description of the model."""
    for name, value in description.items():
        if header.get(name) != value:
            found, wanted = _short(header.get(name)), _short(value)
            raise ValueError(Errors.LP026.format(name=name, found=found, wanted=wanted))


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 200 else text[:200] + " ..."


@contextmanager
def suspicion() -> Iterator[None]:
    """Turn exceptions from damaged files into errors with a code."""
    try:
        yield
    except model_file.DAMAGED as error:
        raise ValueError(Errors.LP023.format(error=error)) from error


def read_labels(header: Header) -> list[str]:
    """Read and check the labels of a header."""
    labels = header["labels"]
    if not isinstance(labels, list) or not all(isinstance(x, str) for x in labels):
        raise ValueError("the labels are no list of strings")
    if len(set(labels)) < len(labels):
        raise ValueError("a label occurs twice")
    return labels


def read_rules(arrays: Arrays, n: int) -> Rules:
    """Read the rules over n labels."""
    rules: Rules = {}
    for name, shape in {"transitions": (n, n), "starts": (n,), "ends": (n,)}.items():
        if name not in arrays:
            continue
        count = int(np.prod(shape))
        if arrays[name].shape != ((count + 7) // 8,):
            raise ValueError(f"{name} is not over {n} labels")
        bits = np.unpackbits(arrays[name], count=count)
        rules[name] = bits.reshape(shape).astype(bool)
    check_paths(rules, n)
    return rules


def check_paths(rules: Rules, n: int) -> None:
    """Refuse rules that leave no labels for sentences of some length. Once the set of
    reachable labels repeats, it stays the same."""
    starts, ends, follow = (
        rules.get(rule) for rule in ("starts", "ends", "transitions")
    )
    reached: NDArray[Any] = np.ones(n, dtype=bool) if starts is None else starts
    for tokens in range(1, LONGEST_CHECKED + 1):
        last = reached if ends is None else reached & ends
        if n and not last.any():
            raise ValueError(f"the rules leave no labels for {tokens} tokens")
        before, reached = reached, np.full(n, reached.any())
        if follow is not None:
            reached = follow[before].any(axis=0)
        if np.array_equal(before, reached):
            return


def read_rows(header: Header, arrays: Arrays, b: int | str) -> Rows:
    """Read and check the rows of a block."""
    keys, sizes, cells, values = (arrays[f"{b}.{part}"] for part in _PARTS)
    if sizes.dtype.kind != "u" or cells.dtype.kind != "u":
        raise ValueError("sizes and cells are no whole numbers")
    if values.dtype == np.int16:
        with np.errstate(over="ignore"):  # infinite values are refused below
            values = values.astype(np.float32) * np.float32(header[f"{b}.scale"])
    if not np.all(np.abs(values) <= LARGEST_WEIGHT):
        raise ValueError(f"a weight is no number up to {LARGEST_WEIGHT:g}")
    return keys, sizes.astype(np.uint32), cells.astype(np.uint32), values


def read_count(header: Header, name: str, *, bits: int = 63) -> int:
    """Read and check a count of a header."""
    count = header[name]
    if not isinstance(count, int) or not 0 <= count < 1 << bits:
        raise ValueError(f"{name} is {count!r}")
    return count


def narrow(array: np.ndarray) -> np.ndarray:
    """Convert integers to the smallest type that holds them."""
    top = int(array.max(initial=0))
    return array.astype(
        np.uint8 if top < 256 else np.uint16 if top < 65536 else np.uint32
    )


class UnitedRows(NamedTuple):
    """The union of some rows.

    Attributes:
        keys: The features, each once, in the order of their first rows.
        sizes: The number of cells of each row.
        cells: The cells of all rows, in ascending order within a row.
        places: The place of each input cell among these.
    """

    keys: NDArray[np.uint64]
    sizes: NDArray[np.int64]
    cells: NDArray[np.int64]
    places: NDArray[np.int64]


def unite_rows(
    keys: NDArray[np.uint64], sizes: NDArray[np.integer], cells: NDArray[np.integer]
) -> UnitedRows:
    """Unite rows with repeated features and cells."""
    found, first, which = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    width = int(cells.max(initial=0)) + 1
    rows = np.repeat(rank[which.reshape(-1)], sizes)
    united, places = np.unique(rows * width + cells, return_inverse=True)
    counts = np.bincount(united // width, minlength=len(found))
    return UnitedRows(found[order], counts, united % width, places.reshape(-1))


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
