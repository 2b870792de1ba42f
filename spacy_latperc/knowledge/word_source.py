"""The base of sources with a table of words: sorted hashes with columns of numbers."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..features.sources import Source
from ..io import model_file
from ..kernels.chains import SortedKeys, text_hash
from .normalise import Normaliser

Self = TypeVar("Self", bound="WordSource")
UNKNOWN = -1
Columns = Mapping[str, NDArray[np.unsignedinteger]]


class WordTable:
    """Numbers of words, by the hashes of their forms.

    Args:
        keys: The hashes; the first of equal ones counts.
        columns: The numbers, by name, as long as the keys.
    """

    def __init__(self, keys: NDArray[np.uint64], columns: Columns):
        order = np.argsort(keys, kind="stable")
        kept = order[np.diff(keys[order], prepend=~keys[order[:1]]) != 0]
        self._take(keys[kept], {x: column[kept] for x, column in columns.items()})

    @classmethod
    def empty(cls) -> "WordTable":
        """Make a table without words."""
        return cls(np.zeros(0, dtype=np.uint64), {})

    def _take(self, keys: NDArray[np.uint64], columns: Columns) -> None:
        self.keys = np.ascontiguousarray(keys)
        self.columns = {name: _narrow(column) for name, column in columns.items()}
        self._places = SortedKeys(self.keys)
        # The row of a hash, or -1.
        self.find: Callable[[int], int] = self._places.find

    # Compiled objects cannot be copied.
    def __getstate__(self) -> dict[str, Any]:
        return self.arrays()

    def __setstate__(self, arrays: dict[str, Any]) -> None:
        self._take(arrays.pop("keys"), arrays)

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def nbytes(self) -> int:
        """The memory of the table in bytes."""
        arrays = self.arrays().values()
        return self._places.nbytes + sum(array.nbytes for array in arrays)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all arrays for a file."""
        return {"keys": self.keys, **self.columns}

    @classmethod
    def read(cls, arrays: Mapping[str, np.ndarray], **limits: int) -> "WordTable":
        """Read and check the arrays of a table.

        Args:
            arrays: The arrays of a file.
            limits: The names of the columns, with upper limits of their numbers.
        """
        keys = arrays["keys"]
        if keys.dtype != np.uint64 or keys.ndim != 1 or np.any(keys[1:] <= keys[:-1]):
            raise ValueError("the words of a table are not sorted")
        # A source that was not fitted has no columns.
        columns = {x: arrays[x] for x in limits if len(keys) or x in arrays}
        for name, column in columns.items():
            if column.shape != keys.shape or column.dtype.kind != "u":
                raise ValueError(f"the column {name} of a table has another form")
            if column.max(initial=0) >= max(limits[name], 1):
                raise ValueError(f"the column {name} of a table is out of range")
        table = cls.__new__(cls)
        table._take(keys, columns)
        return table


def _narrow(column: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
    """Convert numbers to the smallest type that holds them."""
    return column.astype(np.min_scalar_type(int(column.max(initial=0))))


@dataclass(eq=False)
class WordSource(Source):
    """A source that looks words up in its own table.

    Attributes:
        normaliser: The forms by which a word is looked up.
        table: The table of words.
    """

    normaliser: Normaliser
    table: WordTable = field(init=False, default_factory=WordTable.empty)
    # Several attributes look up the same word in turn.
    _last: tuple[str, int] = field(init=False, default=("", UNKNOWN))

    # The hash of a form in the table.
    hash_form = staticmethod(text_hash)

    def row_of(self, word: str) -> int:
        """Return the row of a word in the table, or UNKNOWN."""
        last, row = self._last
        if last == word:
            return row
        row = self._find(word)
        self._last = word, row
        return row

    def _find(self, word: str) -> int:
        if word:
            find, hash_form = self.table.find, self.hash_form
            row = find(hash_form(word))
            if row >= 0:
                return row
            for form in self.normaliser.forms(word):
                if form != word:
                    row = find(hash_form(form))
                    if row >= 0:
                        return row
        return UNKNOWN

    def know(self, table: WordTable) -> None:
        """Replace the table."""
        self.table = table
        self._last = "", UNKNOWN
        self.changes += 1

    def settings(self) -> dict[str, Any]:
        return self.normaliser.settings()

    def blank(self: Self) -> Self:
        return replace(self)

    @property
    def is_absent(self) -> bool:
        return self.optional and not len(self.table)

    @property
    def nbytes(self) -> int:
        return self.table.nbytes

    def to_bytes(self) -> bytes:
        return model_file.pack(self.header(), self.arrays())

    def from_bytes(self, data: bytes) -> None:
        header, arrays = model_file.unpack(data)
        self.know(self.read(header, arrays))

    @abstractmethod
    def header(self) -> dict[str, Any]:
        """Return the entries of the table in the header of a file."""

    def arrays(self) -> dict[str, Any]:
        """Return the arrays of the table for a file."""
        return self.table.arrays()

    @abstractmethod
    def read(self, header: dict[str, Any], arrays: dict[str, Any]) -> WordTable:
        """Read and check the table of a file."""
