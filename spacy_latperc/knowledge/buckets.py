"""Buckets of vectors: the nearest of k centres, and the signs of a few projections."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors

Floats = NDArray[np.float32]
SIGN = "sign"
MOST_SIGNS = 32
_PASSES = 20  # of k-means: later ones move few vectors
_ROWS = 8192  # that are compared with all centres at once


@dataclass(frozen=True, eq=False)
class Buckets:
    """What puts a vector into buckets. Only its direction matters.

    Attributes:
        centres: Unit vectors, by their number k.
        directions: Of the projections whose signs count, the widest first.
        mean: A row that is subtracted before projecting.
    """

    centres: Mapping[int, Floats]
    directions: Floats
    mean: Floats

    @staticmethod
    def fit(vectors: Floats, sizes: Sequence[int], signs: int, seed: int) -> "Buckets":
        """Find centres by k-means, and the directions in which vectors differ most.

        Args:
            vectors: Rows of numbers, none of which is zero in all places.
            sizes: How many centres, for each kind of bucket.
            signs: How many directions.
            seed: Of the first centres.
        """
        units = _units(vectors)
        mean = units.mean(axis=0, dtype=np.float64)
        centred = units.astype(np.float64) - mean
        _, axes = np.linalg.eigh(centred.T @ centred)
        # Either sign is an eigenvector: one is chosen, so that bytes are the same.
        widest = axes[:, ::-1][:, :signs].T
        largest = np.take_along_axis(
            widest, np.abs(widest).argmax(axis=1)[:, None], axis=1
        )
        return Buckets(
            {k: k_means(units, k, seed) for k in sizes},
            (widest * np.sign(largest)).astype(np.float32),
            mean.astype(np.float32)[None],
        )

    def columns(self, vectors: Floats) -> dict[str, NDArray[np.uint32]]:
        """The buckets of each row: `k64` and so on, and `sign`, a bit for each
        direction."""
        weights = 1 << np.arange(len(self.directions), dtype=np.uint64)[::-1]
        found: dict[str, list[NDArray]] = {name: [] for name in self.names}
        for block in _blocks(vectors):
            units = _units(block)
            for k, centres in self.centres.items():
                found[f"k{k}"].append((units @ centres.T).argmax(axis=1))
            positive = (units - self.mean) @ self.directions.T > 0
            found[SIGN].append((positive * weights).sum(axis=1))
        return {
            name: np.concatenate(parts or [np.zeros(0)]).astype(np.uint32)
            for name, parts in found.items()
        }

    def arrays(self) -> dict[str, Floats]:
        """All of it, for a file."""
        centres = {f"centres{k}": array for k, array in self.centres.items()}
        return {**centres, "directions": self.directions, "mean": self.mean}

    @staticmethod
    def read(
        arrays: Mapping[str, np.ndarray], sizes: Sequence[int], signs: int, width: int
    ) -> "Buckets":
        """What `arrays` gave, checked."""

        def rows(name: str, most: int) -> Floats:
            array = arrays[name]
            good = array.dtype == np.float32 and array.ndim == 2
            if not (good and array.shape[1] == width and len(array) <= most):
                raise ValueError(f"the {name} of vectors have another form")
            if not np.isfinite(array).all():
                raise ValueError(f"the {name} of vectors are not finite")
            return array

        centres = {k: rows(f"centres{k}", k) for k in sizes}
        if any(not len(array) for array in centres.values()):
            raise ValueError("there are no centres of vectors")
        mean = rows("mean", 1)
        return Buckets(centres, rows("directions", signs), mean)

    @property
    def names(self) -> list[str]:
        """Of the columns."""
        return [*(f"k{k}" for k in self.centres), SIGN]


def k_means(units: Floats, k: int, seed: int) -> Floats:
    """Centres of unit vectors, by the cosine. There are at most as many as vectors."""
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(units), size=min(k, len(units)), replace=False)
    centres = units[np.sort(chosen)]
    nearest = np.full(len(units), -1)
    for _ in range(_PASSES):
        before, nearest = nearest, nearest_centres(units, centres)
        if np.array_equal(before, nearest):
            break
        order = np.argsort(nearest, kind="stable")
        # A centre to which nothing is near stays where it is.
        moved, starts = np.unique(nearest[order], return_index=True)
        centres[moved] = _units(np.add.reduceat(units[order], starts, axis=0))
    return centres


def nearest_centres(units: Floats, centres: Floats) -> NDArray[np.int64]:
    """The number of the nearest centre of each unit vector."""
    parts = [(block @ centres.T).argmax(axis=1) for block in _blocks(units)]
    return np.concatenate(parts or [np.zeros(0, dtype=np.int64)])


def check_finite(vectors: Floats) -> None:
    """Refuse NaN and infinity, naming the first row that has one."""
    for start, block in enumerate(_blocks(vectors)):
        bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
        if len(bad):
            raise ValueError(Errors.LP712.format(row=start * _ROWS + int(bad[0])))


def _blocks(rows: Floats) -> Iterator[Floats]:
    for start in range(0, len(rows), _ROWS):
        yield rows[start : start + _ROWS]


def _units(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
