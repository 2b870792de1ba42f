"""How the best chunkings of several views become the structures that are scored and
learned from: COMBINE of Algorithm 2 in "An online algorithm for learning over
constrained latent representations using multiple views", section 3.4.

Each view is decoded under the rules of its representation, so that what it finds is
valid. Chunkings are compared in a common form, IOB2: between two tokens of one type
there is a border if the second label begins a chunk (B, S) or the first one ends one
(E, S); tokens of different types always have one. That reads every representation, and
also labels that do not fit together. A consensus is the valid IOB2 sequence with the
most votes: a vote is for a whole label, type included; where I-X was voted for, B-X
stands for election too, without a vote, so that a valid sequence always exists. Of
equal votes those of the views named first count more. A consensus goes back into the
representation of each view, and is scored there; also when predicting.
"""

import math
from dataclasses import dataclass

from ...errors import Errors

MOST_OWN_VOTES = 100.0


@dataclass(frozen=True)
class Combination:
    """A way to combine views: "add", "vote" or "cotrain"."""

    name: str = "add"
    own_votes: float = 0.0


def add_views() -> Combination:
    """Method 1 (3.4.1): each view keeps the chunking that it found; scores add up. The
    best by far in our measurements."""
    return Combination("add")


def vote_views() -> Combination:
    """Method 2, Algorithm 3: all views take the chunking that most voted for."""
    return Combination("vote")


def cotrain_views(own_votes: float = 0.0) -> Combination:
    """Method 3, Algorithm 4: each view takes the chunking that the others voted for.

    own_votes: what a view's own vote counts against the 1 of each other; 0 in the
        paper. Above 1 a view gives way only where several others agree.
    """
    if not (math.isfinite(own_votes) and 0 <= own_votes <= MOST_OWN_VOTES):
        raise ValueError(Errors.LP430.format(votes=own_votes, most=MOST_OWN_VOTES))
    return Combination("cotrain", own_votes)
