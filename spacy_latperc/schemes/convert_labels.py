"""Sets of labels of one representation, said in the labels of another."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from .boundaries import OUTSIDE, SPLIT, Boundary, split_label
from .inventory import LabelInventory
from .representations import Scheme, get_scheme


def meaning_mask(
    labels: Iterable[str], scheme: Scheme, inventory: LabelInventory
) -> NDArray[np.bool_] | None:
    """Which labels of the inventory say what one of these labels says: [L].

    A label means its type and the pairs of boundaries that may lie beside its token.

    Args:
        labels: Labels of the scheme, over types of the inventory.
        scheme: Their representation.
        inventory: The labels to say it in.

    Returns:
        A mask. None if a label of the inventory means some of those pairs and others
        besides, so that the set cannot be said there (a B of O+C is half a B of IOB2).
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
    """Which labels of a representation may stand for those of an inventory: where the
    type is the same and some pair of boundaries beside the token fits both.

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
    """The pairs of boundaries that a letter stands for, as bits."""
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
    """What to forbid so that so many tokens are no chunk of a type (None: of any).

    In O+C and BILOU the labels that end such a chunk on its last token, exactly right
    for a single token; in IOE2 those that end it, in IOB2 those that begin it.

    Returns:
        The token, counted from the first, and the labels [L] it cannot have; None in
        IOB1 and IOE1, whose labels do not say by themselves where a chunk ends.
    """
    of_type = inventory.inside if type_id is None else inventory.type_of == type_id
    other_side = Boundary.JOINED if length > 1 else SPLIT
    if _always_told(inventory.rights[of_type]):
        ending = (inventory.rights & Boundary.JOINED) == 0
        return length - 1, of_type & ending & ((inventory.lefts & other_side) != 0)
    if _always_told(inventory.lefts[of_type]):
        beginning = (inventory.lefts & Boundary.JOINED) == 0
        return 0, of_type & beginning & ((inventory.rights & other_side) != 0)
    return None


def _always_told(sides: NDArray[np.uint8]) -> bool:
    """Whether each of these labels says if the chunk goes on at that side."""
    return not (((sides & Boundary.JOINED) != 0) & ((sides & SPLIT) != 0)).any()
