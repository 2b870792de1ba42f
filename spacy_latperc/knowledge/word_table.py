"""A compact table of words: sorted hashes with columns of numbers."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels.chains import SortedKeys

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
