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
    vote_on_tokens,
)
from spacy_latperc.schemes.vote import most_voted

A, B = 0, 1
OC = LabelInventory("O+C", TYPES)


def ballot(*spans):
    """Chunks as arrays, in order."""
    columns = np.array(sorted(spans), dtype=np.int32).reshape(-1, 3).T
    return tuple(np.ascontiguousarray(column) for column in columns)


def listed(found):
    chunks, shares = found
    rows = zip(*(column.tolist() for column in chunks), strict=True)
    return dict(zip(rows, np.round(shares, 6).tolist(), strict=True))


def on_tokens(ballots, weights, n):
    return vote_on_tokens(ballots, weights, OC, np.array([0, n]))


@st.composite
def elections(draw):
    """Ballots over the same few tokens, and weights."""
    parts = draw(st.lists(sentences(), min_size=1, max_size=5))
    n = max(n for _, n in parts)
    ballots = [
        ballot(*((start, end, TYPES.index(type_)) for start, end, type_ in spans))
        for spans, _ in parts
    ]
    weight = st.sampled_from((0.1, 0.3, 0.5, 1.0, 2.0))
    return ballots, [draw(weight) for _ in parts], n


# Over spans ---------------------------------------------------------------------------


def test_voting_a_majority_keeps_a_span():
    ballots = [ballot((0, 2, A)), ballot((0, 2, A)), ballot((0, 1, A))]
    assert listed(vote_on_spans(ballots, [1, 1, 1])) == {(0, 2, A): 0.666667}


def test_voting_another_type_is_another_span():
    ballots = [ballot((0, 2, A)), ballot((0, 2, B)), ballot()]
    assert listed(vote_on_spans(ballots, [1, 1, 1])) == {}


def test_voting_weights_count():
    ballots = [ballot((0, 2, A)), ballot((0, 1, A)), ballot((0, 1, A))]
    assert listed(vote_on_spans(ballots, [3, 1, 1])) == {(0, 2, A): 0.6}


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
        assert listed(vote_on_spans(ballots, [1, 1])) == {stays: 0.5}


def test_voting_ties_that_do_not_overlap_stay():
    ballots = [ballot((0, 2, A)), ballot((2, 3, A))]
    assert listed(vote_on_spans(ballots, [1, 1])) == {(0, 2, A): 0.5, (2, 3, A): 0.5}


def test_voting_ties_see_through_rounding():
    ballots = [ballot((0, 2, A)), ballot((0, 2, A)), ballot((1, 3, A))]
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        weights = [(0.1, 0.2, 0.3)[i] for i in order]
        found = vote_on_spans([ballots[i] for i in order], weights)
        assert listed(found) == {(0, 2, A): 0.5}


def test_voting_a_chain_of_overlaps_is_settled_longest_first():
    ballots = [ballot((0, 2, A), (4, 6, A)), ballot((1, 5, A))]
    assert listed(vote_on_spans(ballots, [1, 1])) == {(1, 5, A): 0.5}


@given(elections())
def test_voting_counts_each_span_once(election):
    ballots, weights, _ = election
    counts = {}
    for chunks, weight in zip(ballots, weights, strict=True):
        for row in zip(*(column.tolist() for column in chunks), strict=True):
            counts[row] = counts.get(row, 0) + weight / sum(weights)
    found = listed(tally(ballots, weights))
    assert list(found) == sorted(counts)
    assert found == pytest.approx(counts, abs=1e-5)


@given(elections())
def test_voting_what_stays_does_not_overlap_and_has_half(election):
    ballots, weights, _ = election
    counts = listed(tally(ballots, weights))
    kept = listed(vote_on_spans(ballots, weights))
    assert {row for row, share in counts.items() if share > 0.5001} <= set(kept)
    assert all(counts[row] >= 0.4999 for row in kept)
    ends = [0, *(end for _, end, _ in kept)]
    assert all(end <= start for end, (start, _, _) in zip(ends, kept, strict=False))


# Unanimous ----------------------------------------------------------------------------


@given(sentences(), st.lists(st.floats(0.1, 3), min_size=1, max_size=5))
def test_voting_all_agree(sentence, weights):
    spans, n = sentence
    rows = [(start, end, TYPES.index(type_)) for start, end, type_ in spans]
    ballots = [ballot(*rows)] * len(weights)
    expected = dict.fromkeys(sorted(rows), 1.0)
    assert listed(vote_on_spans(ballots, weights)) == expected
    assert listed(on_tokens(ballots, weights, n)) == expected


@pytest.mark.parametrize("vote", ["span", "token"])
def test_voting_on_nothing(vote):
    found = (
        vote_on_spans([ballot()] * 3, [1] * 3)
        if vote == "span"
        else on_tokens([ballot()] * 3, [1] * 3, 0)
    )
    assert listed(found) == {}


# Over tokens --------------------------------------------------------------------------


def test_voting_over_tokens_may_find_what_nobody_proposed():
    # O+C: O B E O, B E O O, O B I E: most votes for O at first, B or E then E, O or E.
    ballots = [ballot((1, 3, A)), ballot((0, 2, A)), ballot((1, 4, A))]
    assert listed(on_tokens(ballots, [1, 1, 1], 4)) == {(1, 3, A): 0.333333}


def test_voting_over_tokens_agreement_counts_whole_spans():
    ballots = [ballot((0, 3, A)), ballot((0, 2, A), (2, 4, A)), ballot((1, 4, A))]
    found = listed(on_tokens(ballots, [1, 1, 1], 4))
    assert all(share in (0.0, 0.333333) for share in found.values())


def test_voting_sentences_are_apart():
    ballots = [ballot((0, 1, A), (1, 2, A))] * 2
    found = vote_on_tokens(ballots, [1, 1], OC, np.array([0, 1, 1, 2]))
    assert listed(found) == {(0, 1, A): 1.0, (1, 2, A): 1.0}


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


def test_voting_ties_over_tokens_go_to_the_lower_label():
    assert listed(on_tokens([ballot((0, 1, A)), ballot()], [1, 1], 1)) == {}
