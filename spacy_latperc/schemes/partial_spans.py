"""Known chunks beside tokens of which nothing is known: where they end is known too."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .decode import Chunks, Span
from .inventory import LabelInventory


def chunks_by_sentence(
    chunks: Iterable[Span], bounds: NDArray[np.int64]
) -> dict[int, list[Span]]:
    """Chunks of a batch of sentences, counted from the start of their sentence; those
    that cross its end are left out."""
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
    """What chunks force on both sides of their borders to missing tokens, by token.

    Only there do labels need to say more than that the chunk is there (see
    LabelInventory.forced_mask for what that means in IOB1 and IOE1).

    Args:
        inventory: The labels.
        chunks: The known chunks of the batch.
        missing: [tokens of the batch], of which nothing is known.
        bounds: First tokens of the sentences, and the end.
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
