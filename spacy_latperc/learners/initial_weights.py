"""Initial weights from another model.

Latent value k starts as a copy of the other model's value k mod K', so that a chain
without latent values can initialise one with many. The other model may have fewer
templates and labels and a lower order: all other weights start at zero.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from .chain import ChainLearner
from .serialization.pieces import Rows
from .sparse_rows import unite_rows

_PREFIXES = ("", "edge:", "tri:")


class _Cells(NamedTuple):
    """Weights in the cells of a block; every array has a value per weight."""

    keys: NDArray[np.uint64]
    cells: NDArray[np.int64]
    values: NDArray[np.float32]


def begin_from(target: ChainLearner, source: ChainLearner, *, where: str) -> None:
    """Initialise a learner with the averaged weights of another.

    Args:
        target: The learner, which was just started.
        source: The other learner. Its labels are matched by name. If anything does not
            fit, nothing changes.
        where: The name of the source in messages.
    """
    homes = check_fit(target, source, where=where)
    missing = [label for label in source.labels if label not in target.labels]
    if missing:
        raise ValueError(Errors.LP095.format(where=where, missing=", ".join(missing)))
    parts: list[list[_Cells]] = [[] for _ in target.plan.blocks]
    for b, home in enumerate(homes):
        parts[home].append(_move(target, source, b, home))
    rows = [_join(part) for part in parts]
    target.begin_with(rows, noise=target.latent > source.latent)


def check_fit(
    target: ChainLearner, source: ChainLearner, *, where: str
) -> Sequence[int]:
    """Refuse chains that differ in more than their labels.

    Returns:
        The block of the target for each block of the source.
    """
    if source.latent > target.latent:
        message = Errors.LP097.format(
            where=where, what="latent", found=source.latent, wanted=target.latent
        )
        raise ValueError(message)
    homes = []
    missing = []
    for kind, is_latent, names in source.plan.layout:
        home, known = _home(target, kind, is_latent)
        homes.append(home)
        missing += [_PREFIXES[kind] + name for name in names if name not in known]
    if missing:
        missing = list(dict.fromkeys(missing))
        raise ValueError(Errors.LP096.format(where=where, missing=", ".join(missing)))
    return homes


def _home(target: ChainLearner, kind: int, is_latent: bool) -> tuple[int, set[str]]:
    """Find the block of a kind, preferably with the same kind of rows, and its
    templates."""
    found: tuple[int, set[str]] = (-1, set())
    for b, (other, latent_rows, names) in enumerate(target.plan.layout):
        if other != kind:
            continue
        if latent_rows == is_latent:
            return b, set(names)
        if latent_rows:
            found = b, set(names)
    return found


def _move(target: ChainLearner, source: ChainLearner, b: int, home: int) -> _Cells:
    """Convert the weights of block b of the source to cells of a target block."""
    frozen = source.freeze()
    keys, sizes, cells, values = frozen.export(b)
    kind, is_latent, _ = source.plan.blocks[b]
    _, spread, _ = target.plan.blocks[home]
    units = frozen.structure.unpack(b, cells)[2 - kind :]
    place = {label: i for i, label in enumerate(target.labels)}
    labels = np.array([place[label] for label in source.labels], dtype=np.int64)
    n = source.latent if is_latent else 1
    parts: list[_Cells] = []
    long_keys = np.repeat(keys, sizes)
    copies = range(target.latent if spread else 1)
    width = len(target.labels) * len(copies)
    for history in itertools.product(copies, repeat=kind + 1):
        taken = np.ones(len(cells), dtype=bool)
        cell = np.zeros(len(cells), dtype=np.int64)
        for unit, k in zip(units, history, strict=True):
            taken &= unit % n == k % n
            cell = cell * width + labels[unit // n] * len(copies) + k
        parts.append(_Cells(long_keys[taken], cell[taken], values[taken]))
    return _concatenate(parts)


def _concatenate(parts: Sequence[_Cells]) -> _Cells:
    return _Cells(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _join(parts: Sequence[_Cells]) -> Rows:
    """Join weights to rows of a block, adding up weights of the same cell."""
    if not parts:
        none = np.zeros(0, dtype=np.uint32)
        return none.astype(np.uint64), none, none, none.astype(np.float32)
    keys, cells, values = _concatenate(parts)
    rows = unite_rows(keys, np.ones(len(keys), dtype=np.int64), cells)
    sums = np.zeros(len(rows.cells), dtype=np.float32)
    np.add.at(sums, rows.places, values)
    sizes, cells = rows.sizes.astype(np.uint32), rows.cells.astype(np.uint32)
    return rows.keys, sizes, cells, sums
