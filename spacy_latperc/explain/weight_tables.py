"""Frozen weights as sorted tables, to be searched by the hash of a feature."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..learners.chain_weights import ChainWeights


@dataclass(frozen=True, eq=False)
class WeightTable:
    """The weights of one block.

    Attributes:
        kind: The number of earlier states that a weight depends on.
        latent: The number of states per unit: 1 for rows over states, more for rows
            over labels.
        templates: The numbers of the observations of the block.
        keys: The sorted hashes of the features.
        offsets: The first cell of each row, and the end.
        units: The units (states or labels) of each cell, [3, cells]: the one before
            the last, the last and the current one.
        values: The weight of each cell.
    """

    kind: int
    latent: int
    templates: frozenset[int]
    keys: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    units: NDArray[np.int64]
    values: NDArray[np.float32]

    def cells(self, key: int) -> slice:
        """Return the cells of a feature; there are none for an unknown one."""
        row = int(np.searchsorted(self.keys, np.uint64(key)))
        if row == len(self.keys) or int(self.keys[row]) != key:
            return slice(0, 0)
        return slice(int(self.offsets[row]), int(self.offsets[row + 1]))

    def weight(self, key: int, states: Sequence[int]) -> float:
        """Return the weight of a feature for the last states of a path."""
        at = self.cells(key)
        wanted = [state // self.latent for state in states[-1 - self.kind :]]
        same = (self.units[2 - self.kind :, at].T == wanted).all(axis=1)
        return float(self.values[at][same].sum())

    def block(self, key: int, labels: Sequence[int], latent: int) -> NDArray:
        """Return the weights of a feature for all latent states of labels, [latent,
        ...], one axis for each of the last labels that they depend on."""
        at, side = self.cells(key), latent // self.latent
        firsts = np.array(labels[-1 - self.kind :]) * side
        places = self.units[2 - self.kind :, at].T - firsts
        inside = ((places >= 0) & (places < side)).all(axis=1)
        found = np.zeros((side,) * (self.kind + 1), np.float32)
        found[tuple(places[inside].T)] = self.values[at][inside]
        for axis in range(self.kind + 1):
            found = np.repeat(found, self.latent, axis=axis)
        return found


def read_tables(learner: ChainWeights) -> list[WeightTable]:
    """Return the averaged weights of a chain, block by block."""
    frozen = learner.freeze()
    tables = []
    for b, (kind, is_latent, groups) in enumerate(learner.plan.blocks):
        keys, sizes, cells, values = frozen.export(b)
        ends = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        order = np.argsort(keys, kind="stable")
        lengths = np.diff(ends)[order]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        within = np.arange(len(cells)) - np.repeat(offsets[:-1], lengths)
        moved = np.repeat(ends[:-1][order], lengths) + within
        units = np.asarray(frozen.structure.unpack(b, cells[moved]))
        tables.append(
            WeightTable(
                kind,
                1 if is_latent else learner.latent,
                frozenset(t for templates, _ in groups for t in templates),
                keys[order],
                offsets,
                units,
                values[moved],
            )
        )
    return tables


def rows_of_states(
    tables: list[WeightTable], n_states: int
) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.float32]]]:
    """Yield the hashes of the features of each block without history, and their weights
    by state, [features, states]."""
    for table in tables:
        if table.kind == 0:
            dense = np.zeros((len(table.keys), n_states // table.latent), np.float32)
            rows = np.repeat(np.arange(len(table.keys)), np.diff(table.offsets))
            dense[rows, table.units[2]] = table.values
            yield table.keys, np.repeat(dense, table.latent, axis=1)
