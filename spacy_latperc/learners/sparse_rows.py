"""Sparse rows of weights in the form of model files: keys of features, the number of
cells of each row, and the cells."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


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
    """Unite rows with repeated features and cells.

    Args:
        keys: The features of the rows.
        sizes: The number of cells of each row.
        cells: The cells of all rows.
    """
    found, first, which = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    width = int(cells.max(initial=0)) + 1
    rows = np.repeat(rank[which.reshape(-1)], sizes)
    united, places = np.unique(rows * width + cells, return_inverse=True)
    counts = np.bincount(united // width, minlength=len(found))
    return UnitedRows(found[order], counts, united % width, places.reshape(-1))
