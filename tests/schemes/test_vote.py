"""Votes over chunks: by hand, and against the obvious way to count."""

from itertools import product

import numpy as np
import pytest
from builders.chunkings import TYPES, sentences
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.schemes import (
    SCHEMES,
    LabelInventory,
    tally,
    vote_on_spans,
)
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


# Over spans ---------------------------------------------------------------------------


def test_voting_a_majority_keeps_a_span():
    ballots = [ballot((0, 2, A)), ballot((0, 2, A)), ballot((0, 1, A))]
    assert listed(vote_on_spans(ballots)) == {(0, 2, A): 0.666667}


def test_voting_another_type_is_another_span():
    ballots = [ballot((0, 2, A)), ballot((0, 2, B)), ballot()]
    assert listed(vote_on_spans(ballots)) == {}


@pytest.mark.parametrize(
    "one, other, stays",
    [
        ((0, 2, A), (1, 4, A), (1, 4, A)),  # the longer
        ((1, 3, A), (0, 2, B), (0, 2, B)),  # the first
        ((0, 2, B), (0, 2, A), (0, 2, A)),  # the lower type
    ],
)
def test_voting_ties_are_settled(one, other, stays):
    for ballots in ([ballot(one), ballot(other)], [ballot(other), ballot(one)]):
        assert listed(vote_on_spans(ballots)) == {stays: 0.5}


def test_voting_ties_that_do_not_overlap_stay():
    ballots = [ballot((0, 2, A)), ballot((2, 3, A))]
    assert listed(vote_on_spans(ballots)) == {(0, 2, A): 0.5, (2, 3, A): 0.5}


def test_voting_a_chain_of_overlaps_is_settled_longest_first():
    ballots = [ballot((0, 2, A), (4, 6, A)), ballot((1, 5, A))]
    assert listed(vote_on_spans(ballots)) == {(1, 5, A): 0.5}


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


# Unanimous ----------------------------------------------------------------------------


@given(sentences(), st.integers(1, 5))
def test_voting_all_agree(sentence, n):
    spans, _ = sentence
    rows = [(start, end, TYPES.index(type_)) for start, end, type_ in spans]
    expected = dict.fromkeys(sorted(rows), 1.0)
    assert listed(vote_on_spans([ballot(*rows)] * n)) == expected


def test_voting_on_nothing():
    assert listed(vote_on_spans([ballot()] * 3)) == {}


# The best sequence --------------------------------------------------------------------


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
