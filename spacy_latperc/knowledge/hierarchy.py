"""The bit paths of clusters that merge two by two."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 20


def class_bigrams(
    ids: NDArray[np.int32],
    bounds: NDArray[np.int64],
    classes: NDArray[np.int32],
    n: int,
) -> NDArray[np.int64]:
    """Count how often a cluster (column) follows another (row) within a sentence.

    Args:
        ids: Places of words in `classes`; the place after the last has no cluster.
        bounds: The bounds of the sentences.
        classes: The cluster of each word.
        n: The number of clusters.
    """
    found = np.append(classes, n)
    opens = np.zeros(len(ids) + 1, dtype=bool)
    opens[bounds] = True
    table = np.zeros(n * n, dtype=np.int64)
    for start in range(0, len(ids), _BLOCK):
        here = found[ids[start : start + _BLOCK + 1]].astype(np.int64)
        left, right = here[:-1], here[1:]
        inside = ~opens[start + 1 : start + len(here)]
        known = inside & (left < n) & (right < n)
        table += np.bincount(left[known] * n + right[known], minlength=n * n)
    return table.reshape(n, n)


def bit_paths(merged: Sequence[tuple[int, int]] | NDArray[np.int32]) -> list[str]:
    """Find the path to each cluster in the tree of merges.

    Args:
        merged: Pairs of clusters in the order of merging; the second becomes part of
            the first, whose side of the tree has the bit 0.
    """
    paths = [""] * (len(merged) + 1)
    for kept, gone in reversed(np.asarray(merged).tolist()):
        paths[gone] = paths[kept] + "1"
        paths[kept] += "0"
    return paths
