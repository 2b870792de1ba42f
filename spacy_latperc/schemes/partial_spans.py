"""Constraints that known chunks put on neighbouring tokens without annotation."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .decode import Chunks, Span
from .inventory import LabelInventory


def chunks_by_sentence(
    chunks: Iterable[Span], bounds: NDArray[np.int64]
) -> dict[int, list[Span]]:
    """Chunks by sentence, relative to its start, without those that cross its end."""
    found: dict[int, list[Span]] = {}
    for start, end, type_ in chunks:
        s = int(np.searchsorted(bounds, start, side="right")) - 1
        first = int(bounds[s])
        if end <= bounds[s + 1]:
            found.setdefault(s, []).append((start - first, end - first, type_))
    return found


def border_masks(
    inventory: LabelInventory,
    chunks: Chunks,
    missing: NDArray[np.bool_],
    bounds: NDArray[np.int64],
) -> dict[int, NDArray[np.bool_]]:
    """Masks for the tokens on both sides of borders between chunks and missing tokens.

    Only there must labels mark that a chunk ends (see LabelInventory.forced_mask for
    IOB1 and IOE1).
    """
    starts, ends, types = chunks
    at_edge = np.zeros(len(missing) + 1, dtype=bool)
    at_edge[bounds] = True
    padded = np.concatenate([missing, [False]])
    left = ~at_edge[starts] & padded[starts - 1]
    right = ~at_edge[ends] & padded[ends]
    touched = set(np.searchsorted(bounds, starts[left | right], side="right").tolist())
    borders = {
        *starts[left].tolist(),
        *(starts[left] - 1).tolist(),
        *(ends[right] - 1).tolist(),
        *ends[right].tolist(),
    }
    names = [inventory.types[type_] for type_ in types.tolist()]
    triples = zip(starts.tolist(), ends.tolist(), names, strict=True)
    masks = {}
    for s, known in chunks_by_sentence(triples, bounds).items():
        if s + 1 in touched:
            first, end = int(bounds[s]), int(bounds[s + 1])
            mask = inventory.forced_mask(known, end - first) > 0
            for token in sorted(borders.intersection(range(first, end))):
                masks[token] = mask[token - first]
    return masks


def dead_end(
    inventory: LabelInventory, allowed: NDArray[np.bool_]
) -> tuple[int, NDArray[np.bool_]] | None:
    """The first token of a sentence without a valid label, and the labels that its
    context allows: those that may follow the labels before it, or begin or end a
    sentence. None if there is a valid sequence.
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
