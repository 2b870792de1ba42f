"""Initial weights of a view from a supervised chunker (MV, section 4.1), scaled to the
range of weights after training from zero.
"""

import numpy as np

from ...errors import Errors
from ...kernels.chains import FeatureSpace, FrozenChain, Structure
from ...learners.blocks import Plan
from ...learners.chain import ChainLearner
from ...learners.serialization.pieces import Rows

KINDS = 2  # state rows and edge rows


def scaled_copy(
    chunker: ChainLearner,
    space: FeatureSpace,
    plan: Plan,
    structure: Structure,
    labels: list[str],
    limit: float,
) -> FrozenChain:
    """Make the chain of a view with the weights of a chunker for common features."""
    if chunker.labels != labels or chunker.latent != 1:
        raise ValueError(
            Errors.LP432.format(found=_short(chunker.labels), wanted=_short(labels))
        )
    if set(chunker.plan.observations).isdisjoint(plan.observations):
        raise ValueError(Errors.LP433)
    frozen = chunker.freeze()
    exports = {
        kind: frozen.export(b)
        for b, (kind, _, _) in enumerate(chunker.plan.blocks)
        if kind < KINDS
    }
    largest = max(
        float(np.abs(values).max(initial=0.0)) for *_, values in exports.values()
    )
    scale = limit / largest if largest > 0 else 0.0
    result = FrozenChain(structure)
    for b, (kind, _, _) in enumerate(plan.blocks):
        if kind in exports:
            result.fill(b, *_folded(exports[kind], space, structure.cells(b), scale))
    return result


def _folded(rows: Rows, space: FeatureSpace, width: int, scale: float) -> Rows:
    """Add up the rows of features whose hashes collide."""
    keys, sizes, cells, values = rows
    kept = np.uint64(((1 << space.bits) - 1) << (64 - space.bits))
    unique, place = np.unique(keys & kept, return_inverse=True)
    dense = np.zeros((len(unique), width), dtype=np.float32)
    where = np.repeat(place.reshape(-1), sizes), cells
    np.add.at(dense, where, values * np.float32(scale))
    used = dense != 0
    return (
        unique,
        used.sum(axis=1).astype(np.uint32),
        used.nonzero()[1].astype(np.uint32),
        dense[used],
    )


def _short(labels: list[str]) -> str:
    text = ", ".join(labels)
    return text if len(text) <= 100 else text[:100] + " ..."
