"""Conversion of label sets between representations."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from .decode import OUTSIDE, SPLIT, Boundary, split_label
from .inventory import LabelInventory
from .representations import Scheme, get_scheme


def meaning_mask(
    labels: Iterable[str], scheme: Scheme, inventory: LabelInventory
) -> NDArray[np.bool_] | None:
    """A mask of the labels that have the same meaning as some given labels: [L].

    The meaning of a label is its type and the pairs of boundaries it allows.

    Returns:
        The mask. None if a label of the inventory also has another meaning, so that the
        set cannot be expressed (a B of O+C is half a B of IOB2).
    """
    wanted: dict[str, int] = {}
    for label in labels:
        letter, type_ = split_label(label)
        wanted[type_] = wanted.get(type_, 0) | _pairs(scheme, letter)
    mask = np.zeros(len(inventory), dtype=bool)
    for i, label in enumerate(inventory.labels):
        letter, type_ = split_label(label)
        means = _pairs(inventory.scheme, letter)
        shared = means & wanted.get(type_, 0)
        if shared and shared != means:
            return None
        mask[i] = bool(shared)
    return mask


def shared_meaning(
    labels: Sequence[str], scheme: str, others: LabelInventory
) -> NDArray[np.bool_]:
    """A mask of label pairs of two representations that may mean the same: they have
    the same type and share a pair of boundaries.

    Returns:
        An array [labels, others].
    """

    def meanings(names: Sequence[str], rules: Scheme) -> tuple[list[str], NDArray]:
        split = [split_label(name) for name in names]
        pairs = [_pairs(rules, letter) for letter, _ in split]
        return [type_ for _, type_ in split], np.array(pairs, dtype=np.int64)

    own_types, own = meanings(labels, get_scheme(scheme))
    types, theirs = meanings(others.labels, others.scheme)
    same_type = np.array(own_types)[:, None] == np.array(types)
    return same_type & ((own[:, None] & theirs) != 0)


def _pairs(scheme: Scheme, letter: str) -> int:
    """The pairs of boundaries that a letter allows, as bits."""
    if letter == OUTSIDE:
        return 1
    lefts, rights = scheme.letters[letter]
    return sum(
        1 << (len(Boundary) * i + j)
        for i, left in enumerate(Boundary)
        for j, right in enumerate(Boundary)
        if left & lefts and right & rights
    )


def no_chunk_mask(
    inventory: LabelInventory, type_id: int | None, length: int
) -> tuple[int, NDArray[np.bool_]] | None:
    """The labels to forbid so that tokens are not a chunk of a type (None: of any).

    In O+C, BILOU and IOE2, these are the labels that end such a chunk on its last
    token; in IOB2, those that begin it on its first.

    Returns:
        The token, counted from the first, and the forbidden labels [L]; None in IOB1
        and IOE1, whose labels alone do not determine where a chunk ends.
    """
    of_type = inventory.inside if type_id is None else inventory.type_of == type_id
    other_side = Boundary.JOINED if length > 1 else SPLIT
    if _is_determined(inventory.rights[of_type]):
        ending = (inventory.rights & Boundary.JOINED) == 0
        return length - 1, of_type & ending & ((inventory.lefts & other_side) != 0)
    if _is_determined(inventory.lefts[of_type]):
        beginning = (inventory.lefts & Boundary.JOINED) == 0
        return 0, of_type & beginning & ((inventory.rights & other_side) != 0)
    return None


def _is_determined(sides: NDArray[np.uint8]) -> bool:
    """True if each of these labels determines whether its chunk continues there."""
    return not (((sides & Boundary.JOINED) != 0) & ((sides & SPLIT) != 0)).any()
