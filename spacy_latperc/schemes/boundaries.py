"""The boundary between two neighbouring tokens, and its form in labels.

Every chunk representation is a way to write these boundaries, so encoding, decoding,
validation and repair all build on them.
"""

from enum import IntFlag

from ..errors import Errors

OUTSIDE = "O"
BEGINNING = frozenset("BSU")
ENDING = frozenset("ELSU")
LETTERS = frozenset("BIELSU")


class Boundary(IntFlag):
    """The boundary on one side of a token that is inside a chunk."""

    JOINED = 1
    """The neighbour is in the same chunk."""
    TOUCHING = 2
    """The neighbour is in another chunk, of the same type."""
    APART = 4
    """The neighbour is outside, in a chunk of another type, or there is none."""


SPLIT = Boundary.TOUCHING | Boundary.APART
ANY = Boundary.JOINED | SPLIT


def split_label(label: str) -> tuple[str, str]:
    """The letter and the type of a label; ("O", "") for the outside label.

    Types may contain hyphens: only the first one separates.
    """
    if label == OUTSIDE:
        return OUTSIDE, ""
    letter, hyphen, type_ = label.partition("-")
    if not (hyphen and type_ and letter in LETTERS):
        raise ValueError(Errors.LP202.format(label=label))
    return letter, type_


def boundary_between(before: str, after: str) -> Boundary:
    """The boundary between two neighbouring labels of any representation.

    This is the lenient reading of the CoNLL scoring script: B, S and U begin a
    chunk, E, L, S and U end one, and a change of type or an O is a border by itself.
    """
    letter_before, type_before = split_label(before)
    letter_after, type_after = split_label(after)
    if OUTSIDE in (letter_before, letter_after) or type_before != type_after:
        return Boundary.APART
    if letter_before in ENDING or letter_after in BEGINNING:
        return Boundary.TOUCHING
    return Boundary.JOINED
