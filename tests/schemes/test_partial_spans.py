"""Chunks beside tokens without annotation, against all chunkings of short sentences."""

from itertools import product

import numpy as np
import pytest
from builders.chunkings import TYPES, all_chunkings, encode, valid_sequences

from spacy_latperc.schemes import (
    SCHEMES,
    LabelInventory,
    border_masks,
    chunks_by_sentence,
)

N = 3


def known_parts():
    """Chunks of short sentences, and tokens outside of them that are missing."""
    for spans in all_chunkings(N):
        held = {token for start, end, _ in spans for token in range(start, end)}
        free = [token for token in range(N) if token not in held]
        for choice in product((False, True), repeat=len(free)):
            missing = np.zeros(N, dtype=bool)
            missing[free] = choice
            yield spans, missing


def masks_of(inventory, spans, missing):
    """Return the known labels of each token, as a learner gets them."""
    mask = np.ones((N, len(inventory)), dtype=bool)
    gold = encode(inventory, spans, N)
    for token in np.flatnonzero(~missing):
        mask[token] = False
        mask[token, gold[token]] = True
    starts, ends, types = zip(*sorted(spans), strict=True) if spans else ((), (), ())
    chunks = np.array(starts, np.int64), np.array(ends, np.int64)
    chunks += (np.array([TYPES.index(x) for x in types], np.int32),)
    bounds = np.array([0, N], dtype=np.int64)
    for token, row in border_masks(inventory, chunks, missing, bounds).items():
        mask[token] = row
    return mask


@pytest.mark.parametrize("scheme", SCHEMES)
def test_borders_hold_beside_missing_tokens(scheme):
    inventory = LabelInventory(scheme, TYPES)
    chunkings = {encode(inventory, x, N): x for x in all_chunkings(N)}
    for spans, missing in known_parts():
        inside = valid_sequences(inventory, N, masks_of(inventory, spans, missing))
        assert encode(inventory, spans, N) in inside
        for sequence in inside:
            assert set(spans) <= set(chunkings[sequence])
        # Missing tokens are free.
        if scheme in ("IOB1", "IOE1"):
            continue
        held = {token for start, end, _ in spans for token in range(start, end)}
        outside = [t for t in np.flatnonzero(~missing).tolist() if t not in held]
        assert inside == {
            sequence
            for sequence, other in chunkings.items()
            if set(spans) <= set(other) and not any(sequence[t] for t in outside)
        }


def test_borders_of_sentences_need_no_masks_and_chunks_are_counted_within_them():
    inventory = LabelInventory("IOB2", TYPES)
    chunks = tuple(np.array([x], dtype=np.int64) for x in (2, 4, 0))
    missing = np.array([1, 1, 0, 0, 1, 1], dtype=bool)
    bounds = np.array([0, 2, 4, 6], dtype=np.int64)
    assert border_masks(inventory, chunks, missing, bounds) == {}
    chunks = [(0, 1, "A"), (3, 5, "A"), (4, 6, "A"), (5, 6, "B")]
    bounds = np.array([0, 2, 5, 6], dtype=np.int64)
    assert chunks_by_sentence(chunks, bounds) == {
        0: [(0, 1, "A")],
        1: [(1, 3, "A")],
        2: [(0, 1, "B")],
    }
