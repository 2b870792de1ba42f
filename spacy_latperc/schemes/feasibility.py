"""Detection of label masks that leave no valid sequence."""

import numpy as np
from numpy.typing import NDArray

from .inventory import LabelInventory


def dead_end(
    inventory: LabelInventory, allowed: NDArray[np.bool_]
) -> tuple[int, NDArray[np.bool_]] | None:
    """The first token of a sentence without a valid label, and the labels that its
    context allows: those that may follow the labels before it, or begin or end a
    sentence. None if there is a valid sequence.

    Args:
        inventory: The labels.
        allowed: The mask, [tokens, labels].
    """
    possible = inventory.starts
    for token, mask in enumerate(allowed):
        here = possible & mask
        if not here.any():
            return token, possible
        if token == len(allowed) - 1 and not (here & inventory.ends).any():
            return token, inventory.ends
        possible = inventory.transitions[here].any(axis=0)
    return None
