"""All the chunkings of short sentences, and random ones of longer sentences."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from hypothesis import strategies as st

from spacy_latperc.schemes import Span

TYPES = ("A", "B-b")


def all_chunkings(n: int, start: int = 0) -> Iterator[list[Span]]:
    """Every set of chunks of the two types in a sentence of n tokens."""
    if start == n:
        yield []
        return
    for rest in all_chunkings(n, start + 1):
        yield rest
    for end in range(start + 1, n + 1):
        for rest in all_chunkings(n, end):
            for type_ in TYPES:
                yield [(start, end, type_), *rest]


@st.composite
def sentences(draw, types=TYPES, longest=4, most=None):
    """Chunks and length of a sentence; pieces without a type are outside."""
    piece = st.tuples(st.sampled_from((None, *types)), st.integers(1, longest))
    pieces = draw(st.lists(piece, max_size=most))
    spans = []
    n = 0
    for type_, length in pieces:
        if type_ is not None:
            spans.append((n, n + length, type_))
        n += length
    return spans, n


def valid_sequences(inventory, n, mask=None):
    """All sequences that a decoder under the tables can give."""
    if mask is None:
        mask = np.ones((n, len(inventory)), dtype=np.uint8)
    found = [()]
    for token in range(n):
        found = [
            (*sequence, label)
            for sequence, label in product(found, np.flatnonzero(mask[token]).tolist())
            if (
                inventory.transitions[sequence[-1], label]
                if sequence
                else inventory.starts[label]
            )
        ]
    return {x for x in found if not x or inventory.ends[x[-1]]}


def encode(inventory, spans, n):
    return tuple(inventory.index[x] for x in inventory.scheme.encode(spans, n))
