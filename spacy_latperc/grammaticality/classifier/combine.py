"""How the best chunkings of several views become the structures that are scored and
learned from: COMBINE of Algorithm 2 in MV, section 3.4.

Each view is decoded under the rules of its representation, so what it finds is valid.
Chunkings are compared in a common form, IOB2. Between two tokens of one type there is a
border if the second label begins a chunk (B, S) or the first one ends one (E, S).
Between tokens of different types there always is one. That reads every representation,
and also labels that do not fit together.

A consensus is the valid IOB2 sequence with the most votes. A vote is for a whole label,
type included. Where I-X got votes, B-X may be elected too, with no votes, so a valid
sequence always exists. Of equal votes, those of the views named first count more. The
consensus goes back into the representation of each view and is scored there, also when
predicting.

Why votes lose, in our measurements: the strength of the method is that a sentence is
scored by its best chunking, whatever that is. Views that begin with nothing have no
reason to find the same one. Under "add" five views agree on
the type of 9 % of the tokens: of twelve that is chance. So what most vote for is the
best chunking of none of them, and its score says little. The more a view's own vote
counts in co-training, the nearer its chunking is to its own best one, up to "add", and
the better it gets (docs/results/grammaticality.md has the curve). "share" takes another
way to one chunking for all: that with the highest sum of scores. It is a best chunking,
under all weights together.
"""

from dataclasses import dataclass

from ...errors.check import check_number

MOST_OWN_VOTES = 100.0


@dataclass(frozen=True)
class Combination:
    """A way to combine views.

    Args:
        name: "add", "vote", "cotrain" or "share".
        own_votes: For "cotrain", what a view's own vote counts.
    """

    name: str = "add"
    own_votes: float = 0.0


def add_views() -> Combination:
    """Method 1 (MV, 3.4.1): each view keeps the chunking that it found, and scores add
    up.

    The best by far in our measurements.
    """
    return Combination("add")


def vote_views() -> Combination:
    """Method 2 (MV, Algorithm 3): all views take the chunking that most voted for."""
    return Combination("vote")


def cotrain_views(own_votes: float = 0.0) -> Combination:
    """Method 3 (MV, Algorithm 4): each view takes the chunking that the others voted
    for.

    Args:
        own_votes: What a view's own vote counts against the 1 of each other; 0 in the
            paper. Above 1, a view gives way only where several others agree.
    """
    advice = "Each of the other views has one vote."
    check_number("own_votes", own_votes, high=MOST_OWN_VOTES, advice=advice)
    return Combination("cotrain", own_votes)


def share_views() -> Combination:
    """All views take one chunking: of all chunkings the one with the highest sum of the
    views' scores (shared_search.hh).

    In no paper: one exact search in place of votes, which no view may find good.
    """
    return Combination("share")
