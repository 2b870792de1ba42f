"""Votes over chunks: by hand, and against the obvious way to count."""

from itertools import product

import numpy as np
import pytest
from builders.chunkings import TYPES, sentences
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.schemes import SCHEMES, LabelInventory, tally, vote_on_spans
from spacy_latperc.schemes.vote import most_voted

A, B = 0, 1


def ballot(*spans):
    """Chunks as arrays, in order."""
    columns = np.array(sorted(spans), dtype=np.int32).reshape(-1, 3).T
    return tuple(np.ascontiguousarray(column) for column in columns)


def listed(found):
    chunks, shares = found
    rows = zip(*(column.tolist() for column in chunks), strict=True)
    return dict(zip(rows, np.round(shares, 6).tolist(), strict=True))


@st.composite
def elections(draw):
    """Ballots over the same few tokens."""
    parts = draw(st.lists(sentences(), min_size=1, max_size=5))
    return [
        ballot(*((start, end, TYPES.index(type_)) for start, end, type_ in spans))
        for spans, _ in parts
    ]


BY_HAND = {
    "a majority keeps a span": ([[(0, 2, A)], [(0, 2, A)], [(0, 1, A)]], [(0, 2, A)]),
    "another type is another span": ([[(0, 2, A)], [(0, 2, B)], []], []),
    "of ties the longer": ([[(0, 2, A)], [(1, 4, A)]], [(1, 4, A)]),
    "of ties the first": ([[(1, 3, A)], [(0, 2, B)]], [(0, 2, B)]),
    "of ties the lower type": ([[(0, 2, B)], [(0, 2, A)]], [(0, 2, A)]),
    "ties apart stay": ([[(0, 2, A)], [(2, 3, A)]], [(0, 2, A), (2, 3, A)]),
    "a chain of overlaps": ([[(0, 2, A), (4, 6, A)], [(1, 5, A)]], [(1, 5, A)]),
    "nothing": ([[]] * 3, []),
}


@pytest.mark.parametrize("what", BY_HAND)
def test_voting_by_hand(what):
    spans, stays = BY_HAND[what]
    share = 0.666667 if len(spans) == 3 else 0.5
    for ballots in (spans, spans[::-1]):
        found = vote_on_spans([ballot(*rows) for rows in ballots])
        assert listed(found) == dict.fromkeys(stays, share)


@given(elections())
def test_voting_counts_each_span_once(ballots):
    counts = {}
    for chunks in ballots:
        for row in zip(*(column.tolist() for column in chunks), strict=True):
            counts[row] = counts.get(row, 0) + 1 / len(ballots)
    found = listed(tally(ballots))
    assert list(found) == sorted(counts)
    assert found == pytest.approx(counts, abs=1e-5)


@given(elections())
def test_voting_what_stays_does_not_overlap_and_has_half(ballots):
    counts = listed(tally(ballots))
    kept = listed(vote_on_spans(ballots))
    assert {row for row, share in counts.items() if share > 0.5001} <= set(kept)
    assert all(counts[row] >= 0.4999 for row in kept)
    ends = [0, *(end for _, end, _ in kept)]
    assert all(end <= start for end, (start, _, _) in zip(ends, kept, strict=False))


@given(sentences(), st.integers(1, 5))
def test_voting_all_agree(sentence, n):
    spans, _ = sentence
    rows = [(start, end, TYPES.index(type_)) for start, end, type_ in spans]
    expected = dict.fromkeys(sorted(rows), 1.0)
    assert listed(vote_on_spans([ballot(*rows)] * n)) == expected


@pytest.mark.parametrize("scheme", SCHEMES)
@given(votes=st.data())
def test_voting_sequences_are_valid_and_have_most_votes(scheme, votes):
    inventory = LabelInventory(scheme, TYPES[:1])
    n = votes.draw(st.integers(1, 4))
    size = n * len(inventory)
    flat = votes.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    table = np.array(flat, dtype=float).reshape(n, -1)
    best = max(
        sum(table[token, label] for token, label in enumerate(labels))
        for labels in product(range(len(inventory)), repeat=n)
        if is_valid(inventory, labels)
    )
    found = most_voted(table, inventory, np.array([0, n]))
    assert is_valid(inventory, found.tolist())
    assert table[np.arange(n), found].sum() == best


def is_valid(inventory, labels):
    return bool(
        inventory.starts[labels[0]]
        and inventory.ends[labels[-1]]
        and inventory.transitions[labels[:-1], labels[1:]].all()
    )
