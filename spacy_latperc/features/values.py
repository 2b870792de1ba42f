"""Values of attributes: a single value, a number, or several values per token.

| value | features |
| --- | --- |
| a string, a bool, an integer | one for each text, with value 1 |
| None | one for the missing value |
| a float | one with this value |
| a dict | one for each key, with its number as value |
| a list, tuple, set or array of strings, bools or integers | one for each item |
| a list, tuple or array of floats | one for each index, with its number as value |

Extension attributes, functions and arrays are all read by `read_column`. If every token
has a single value, the column has hashes, as for other attributes. A template over
several such attributes has one feature for each combination, with their product as
value.

A function or source may also return an array of floats, [tokens, width]: the lists of
all tokens at once, which the kernels take as they are where templates read nothing
else (see `ValueLists.dense`).
"""

from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..kernels.chains import text_hash

# Sums and products of a few values stay finite in single precision.
LARGEST_VALUE = 1e15

_TEXT = (str, bool, int, np.bool_, np.integer)
_FLOAT = (float, np.floating)
_NUMBERS = (*_FLOAT, bool, int, np.bool_, np.integer)
_MANY = (list, tuple, set, frozenset)
_NUMBER = text_hash("", 1)  # stands for the float itself
_PLACES = 2  # of a list of floats: the seed of the hash of a place

Hashes = NDArray[np.uint64]
Vectors = NDArray[np.float32]
Items = dict[int, float]  # keys and values


@dataclass(frozen=True, eq=False)
class ListedColumn:
    """A column in which some tokens have lists instead of a single value.

    Attributes:
        hashes: The hashes of the values; a fingerprint for a list, to detect changes.
        list_of: The number of each token's list, from 1; 0 for a single value.
        begin: The offsets of the lists among keys and values.
        keys: The hash of each item.
        values: The value of each item.
    """

    hashes: Hashes
    list_of: NDArray[np.int32]
    begin: NDArray[np.int64]
    keys: Hashes
    values: NDArray[np.float32]

    @staticmethod
    def of(hashes: Hashes, lists: Mapping[int, Items]) -> "ListedColumn":
        """Create a column with lists by token. Identical objects are stored once."""
        list_of = np.zeros(len(hashes), dtype=np.int32)
        begin: list[int] = [0]
        keys: list[int] = []
        values: list[float] = []
        numbers: dict[int, int] = {}
        for token, items in lists.items():
            if id(items) not in numbers:
                keys += items.keys()
                values += items.values()
                begin.append(len(keys))
                numbers[id(items)] = len(begin) - 1
            list_of[token] = numbers[id(items)]
        return ListedColumn(
            hashes,
            list_of,
            np.asarray(begin, dtype=np.int64),
            np.asarray(keys, dtype=np.uint64),
            np.asarray(values, dtype=np.float32),
        )

    def items(self, token: int) -> Items | None:
        """The list of a token; None for a single value."""
        number = int(self.list_of[token])
        if not number:
            return None
        at = slice(self.begin[number - 1], self.begin[number])
        return dict(zip(self.keys[at].tolist(), self.values[at].tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class DenseColumn:
    """A column of vectors.

    Attributes:
        hashes: A fingerprint of the vector of each token, to detect changes.
        numbers: The vectors, [tokens, width].
    """

    hashes: Hashes
    numbers: Vectors

    @staticmethod
    def of(numbers: NDArray[np.floating]) -> "DenseColumn":
        """Create a column of these vectors. They must be finite."""
        rows = np.ascontiguousarray(numbers, dtype=np.float32)
        even = rows if rows.shape[1] % 2 == 0 else np.pad(rows, ((0, 0), (0, 1)))
        words = even.view(np.uint64)
        return DenseColumn(words @ _mixers(words.shape[1]), rows)

    def listed(self) -> ListedColumn:
        """Return the same values as lists."""
        tokens, places = np.nonzero(self.numbers)
        counts = np.bincount(tokens, minlength=len(self.numbers))
        keys = np.array(place_keys(self.numbers.shape[1]), dtype=np.uint64)
        return ListedColumn(
            self.hashes,
            np.arange(1, len(self.numbers) + 1, dtype=np.int32),
            np.cumsum([0, *counts], dtype=np.int64),
            keys[places],
            self.numbers[tokens, places],
        )


@lru_cache(maxsize=64)
def _mixers(width: int) -> Hashes:
    """Return an odd number for each place of a vector, for its fingerprint."""
    numbers = np.random.default_rng(width).integers(1 << 63, size=width, dtype=np.int64)
    return numbers.astype(np.uint64) * np.uint64(2) + np.uint64(1)


@dataclass(frozen=True, eq=False)
class ValueLists:
    """The lists of a batch.

    Attributes:
        columns: The numbers of the columns with lists.
        list_of: [tokens, columns]: the number of a list, from 1; 0 for a single value.
        begin: The offsets of the lists among keys and values.
        keys: The hash of each item.
        values: The value of each item.
        dense: The vectors of other columns, with the hashes of their places.
    """

    columns: list[int]
    list_of: NDArray[np.int32]
    begin: NDArray[np.int64]
    keys: Hashes
    values: NDArray[np.float32]
    dense: Mapping[int, tuple[tuple[int, ...], Vectors]] = field(default_factory=dict)

    @staticmethod
    def join(
        n: int,
        found: Mapping[int, Sequence[tuple[int, ListedColumn]]],
        dense: Mapping[int, DenseColumn] | None = None,
    ) -> "ValueLists | None":
        """Join the lists of columns; None if there are no lists."""
        if not found and not dense:
            return None
        list_of = np.zeros((n, len(found)), dtype=np.int32)
        lists = items = 0
        begin = [np.zeros(1, dtype=np.int64)]
        parts = []
        for place, pieces in enumerate(found.values()):
            for start, part in pieces:
                rows = np.where(part.list_of > 0, part.list_of + lists, 0)
                list_of[start : start + len(rows), place] = rows
                begin.append(part.begin[1:] + items)
                parts.append(part)
                lists += len(part.begin) - 1
                items += len(part.keys)
        return ValueLists(
            list(found),
            list_of,
            np.concatenate(begin),
            np.concatenate([np.zeros(0, np.uint64), *(part.keys for part in parts)]),
            np.concatenate([np.zeros(0, np.float32), *(part.values for part in parts)]),
            {
                c: (place_keys(column.numbers.shape[1]), column.numbers)
                for c, column in (dense or {}).items()
            },
        )

    def listing(self, columns: Collection[int]) -> "ValueLists":
        """Return the same values, with lists in place of the vectors of these columns.

        Args:
            columns: Numbers of columns; others are ignored.
        """
        listed = {c: x for c, (_, x) in self.dense.items() if c in columns}
        if not listed:
            return self
        found = {c: [(0, DenseColumn.of(x).listed())] for c, x in listed.items()}
        new = ValueLists.join(len(self.list_of), found)
        assert new is not None
        moved = np.where(new.list_of > 0, new.list_of + len(self.begin) - 1, 0)
        return ValueLists(
            [*self.columns, *new.columns],
            np.hstack([self.list_of, moved.astype(np.int32)]),
            np.concatenate([self.begin, new.begin[1:] + self.begin[-1]]),
            np.concatenate([self.keys, new.keys]),
            np.concatenate([self.values, new.values]),
            {c: x for c, x in self.dense.items() if c not in listed},
        )

    def take(self, tokens: NDArray[np.int64]) -> "ValueLists":
        """Select the lists of some tokens."""
        rows = np.ascontiguousarray(self.list_of[tokens])
        dense = {c: (keys, x[tokens]) for c, (keys, x) in self.dense.items()}
        return ValueLists(self.columns, rows, self.begin, self.keys, self.values, dense)


def read_column(
    given: Sequence[Any], name: str, place: Callable[[int], str]
) -> Hashes | ListedColumn:
    """Read the column of an attribute from the values of its tokens.

    Args:
        given: One of the values above for each token.
        name: The name of the attribute, for messages.
        place: A function that names a token, for messages.
    """
    hashes = np.zeros(len(given), dtype=np.uint64)
    lists: dict[int, Items] = {}
    read: dict[int, tuple[Items, int]] = {}  # identical objects, once
    for token, value in enumerate(given):
        if value is None:
            continue
        if isinstance(value, _TEXT):
            hashes[token] = text_hash(str(value))
            continue
        if id(value) not in read:
            try:
                items = _read_items(value)
            except _Refused as refused:
                message = refused.message.format(
                    name=name, place=place(token), found=refused.found
                )
                raise ValueError(message) from None
            read[id(value)] = items, _fingerprint(items)
        lists[token], hashes[token] = read[id(value)]
    return ListedColumn.of(hashes, lists) if lists else hashes


class _Refused(ValueError):
    """An invalid value whose place is not known yet."""

    def __init__(self, message: str, found: str):
        self.message, self.found = message, found


def _read_items(value: Any) -> Items:
    if isinstance(value, _FLOAT):
        return _summed([(_NUMBER, value)])
    if isinstance(value, Mapping):
        return _summed((_key(key), count) for key, count in value.items())
    if isinstance(value, np.ndarray):
        if value.ndim != 1:
            raise _Refused(Errors.LP540, f"an array of {value.ndim} dimensions")
        value = value.tolist()
    if not isinstance(value, _MANY):
        raise _Refused(Errors.LP540, _kind(value))
    if value and all(isinstance(item, _FLOAT) for item in value):
        if isinstance(value, (set, frozenset)):
            raise _Refused(Errors.LP540, "a set of floats, which have no places")
        return _summed(zip(place_keys(len(value)), value, strict=True))
    keys = [_key(item, inside=value) for item in value]
    # The order of a set differs between processes.
    ordered = sorted(keys) if isinstance(value, (set, frozenset)) else keys
    return _summed((key, 1.0) for key in ordered)


@lru_cache(maxsize=64)
def place_keys(n: int) -> tuple[int, ...]:
    """The hashes of the indices of a list of n floats."""
    return tuple(text_hash(str(at), _PLACES) for at in range(n))


def _key(item: Any, inside: Any = None) -> int:
    if isinstance(item, _TEXT):
        return text_hash(str(item))
    where = "a dict with a key that is" if inside is None else f"{_kind(inside)} with"
    raise _Refused(Errors.LP540, f"{where} {_kind(item)}")


def _summed(items: Iterable[tuple[int, Any]]) -> Items:
    """Sum the values of equal keys, and drop those that are 0."""
    found: Items = {}
    for key, value in items:
        if not isinstance(value, _NUMBERS):
            raise _Refused(Errors.LP540, f"a dict with {_kind(value)} under a key")
        number: Any = value
        if not abs(number) <= LARGEST_VALUE:
            raise _Refused(Errors.LP750, str(value))
        found[key] = found.get(key, 0.0) + float(value)
    return {key: value for key, value in found.items() if np.float32(value) != 0}


def _kind(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _fingerprint(items: Items) -> int:
    return text_hash(repr([(key, float(value)) for key, value in items.items()]), 3)


def join_columns(
    parts: Iterator[tuple[int, int, Any]], out: Hashes
) -> ValueLists | None:
    """Write the columns of Docs into those of a batch.

    Args:
        parts: The column, its first token, and its hashes, ListedColumn, or, of all
            tokens, DenseColumn.
        out: The array [tokens, columns] for the hashes.

    Returns:
        The lists, if there are any.
    """
    found: dict[int, list[tuple[int, ListedColumn]]] = {}
    dense: dict[int, DenseColumn] = {}
    for column, start, part in parts:
        plain = not isinstance(part, (ListedColumn, DenseColumn))
        hashes = part if plain else part.hashes
        out[start : start + len(hashes), column] = hashes
        if isinstance(part, ListedColumn):
            found.setdefault(column, []).append((start, part))
        elif isinstance(part, DenseColumn):
            dense[column] = part
    return ValueLists.join(len(out), found, dense)
