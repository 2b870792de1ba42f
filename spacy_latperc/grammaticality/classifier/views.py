"""The views of a classifier: representations, how their chunkings are combined
(COMBINE of Algorithm 2 in MV, section 3.4), and the tables that kernels need.

Chunkings are compared in a common form, IOB2. Between two tokens of one type there is a
border if the second label begins a chunk (B, S) or the first one ends one (E, S).
Between tokens of different types there always is one. This reads every representation,
and also invalid sequences of labels.

A consensus is the valid IOB2 sequence with the most votes. A vote is for a whole label,
type included. Where I-X got votes, B-X may be elected too, with no votes, so a valid
sequence always exists. Ties go to the views named first. The consensus is converted to
the representation of each view and scored there, also when predicting.

Votes lose in our measurements: a sentence is scored by its best chunking, and views
that start from zero have no reason to find the same one. Under "add" five views agree
on the type of 9 % of the tokens, which is chance for twelve types. So the elected
chunking is the best one of no view, and its score says little.
"""

from collections.abc import Sequence

import numpy as np

from ...errors import Errors
from ...kernels.chains import MOST_VIEWS, ChunkViews, FeatureSpace, Structure
from ...learners.blocks import Plan
from ...schemes import LabelInventory
from ...schemes.decode import BEGINNING, ENDING, split_label

# The order that breaks ties.
ALL_VIEWS = ("IOB2", "IOB1", "IOE1", "IOE2", "O+C")
# The chunk types of CoNLL-2000, the most frequent first.
CHUNK_TYPES = (
    "NP", "VP", "PP", "ADVP", "SBAR", "ADJP", "PRT", "CONJP", "INTJ", "LST", "UCP",
)  # fmt: skip


def make_inventories(
    schemes: Sequence[str], types: Sequence[str]
) -> list[LabelInventory]:
    """Make the label inventory of each view."""
    if not 1 <= len(schemes) <= MOST_VIEWS:
        raise ValueError(Errors.LP431.format(n=len(schemes), most=MOST_VIEWS))
    return [LabelInventory(name, list(types)) for name in schemes]


def make_structure(
    space: FeatureSpace, plan: Plan, inventory: LabelInventory
) -> Structure:
    """Make the chain of a view: of first order, over valid chunkings only.

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
    inventories: Sequence[LabelInventory], combine: str = "add"
) -> ChunkViews:
    """Build the tables of labels for the kernel."""
    return ChunkViews(
        [_tables(inventory) for inventory in inventories],
        combine=combine,
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
