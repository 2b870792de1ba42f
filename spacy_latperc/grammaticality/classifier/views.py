"""The views of a classifier: representations, and the tables that kernels need."""

from collections.abc import Sequence

import numpy as np

from ...errors import Errors
from ...kernels.chains import MOST_VIEWS, ChunkViews, FeatureSpace, Structure
from ...learners.blocks import Plan
from ...schemes import LabelInventory
from ...schemes.boundaries import BEGINNING, ENDING, split_label
from .combine import Combination

# The order that settles equal votes.
ALL_VIEWS = ("IOB2", "IOB1", "IOE1", "IOE2", "O+C")
# Of CoNLL-2000, the commonest first.
CHUNK_TYPES = (
    "NP", "VP", "PP", "ADVP", "SBAR", "ADJP", "PRT", "CONJP", "INTJ", "LST", "UCP",
)  # fmt: skip


def make_inventories(
    schemes: Sequence[str], types: Sequence[str]
) -> list[LabelInventory]:
    """The labels of each view."""
    if not 1 <= len(schemes) <= MOST_VIEWS:
        raise ValueError(Errors.LP431.format(n=len(schemes), most=MOST_VIEWS))
    return [LabelInventory(name, list(types)) for name in schemes]


def make_structure(
    space: FeatureSpace, plan: Plan, inventory: LabelInventory
) -> Structure:
    """The chain of a view: valid chunkings only, of first order.

    Its labels are latent already, so it has no further latent states.
    """
    return Structure(
        space,
        labels=len(inventory),
        latent=1,
        order=1,
        blocks=plan.blocks,
        transitions=inventory.transitions,
        starts=inventory.starts,
        ends=inventory.ends,
    )


def make_chunk_views(
    inventories: Sequence[LabelInventory], combination: Combination
) -> ChunkViews:
    """What the kernel knows about labels."""
    return ChunkViews(
        [_tables(inventory) for inventory in inventories],
        combine=combination.name,
        own_votes=combination.own_votes,
    )


def _tables(inventory: LabelInventory) -> tuple:
    letters = [split_label(label)[0] for label in inventory.labels]
    return (
        (inventory.type_of + 1).tolist(),
        [letter in BEGINNING for letter in letters],
        [letter in ENDING for letter in letters],
        np.asarray(inventory.letter_at).tolist(),
        len(inventory.scheme.letters),
    )
