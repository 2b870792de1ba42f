"""The latent chunks of a classifier of sentences, as spans."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc, Span

from ..schemes import LabelInventory
from .classifier import Prediction


def write_chunks(
    docs: Sequence[Doc],
    offsets: NDArray[np.int64],
    found: Prediction,
    inventories: Sequence[LabelInventory],
) -> None:
    """Write the best chunks of each view to doc.spans.

    offsets: first tokens of the Docs in the batch, and the end.
    """
    keys = chunk_keys(inventories)
    for key, inventory, labels in zip(keys, inventories, found.labels, strict=True):
        starts, ends, types = inventory.decode_ids(labels, found.bounds)
        place = np.searchsorted(starts, offsets).tolist()
        for i, (doc, at) in enumerate(zip(docs, offsets.tolist(), strict=False)):
            here = slice(place[i], place[i + 1])
            doc.spans[key] = [
                Span(doc, start - at, end - at, label=inventory.types[type_])
                for start, end, type_ in zip(
                    starts[here].tolist(),
                    ends[here].tolist(),
                    types[here].tolist(),
                    strict=True,
                )
            ]


def chunk_keys(inventories: Sequence[LabelInventory]) -> list[str]:
    """Where the chunks of each view go. Views of one representation are numbered."""
    names = [inventory.scheme.name for inventory in inventories]
    return [
        f"latperc:{name}"
        if names.count(name) == 1
        else f"latperc:{name}:{names[:i].count(name) + 1}"
        for i, name in enumerate(names)
    ]
