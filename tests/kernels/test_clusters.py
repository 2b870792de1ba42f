"""Exchange clustering and merging against their slow twins."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import clusters as reference

from spacy_latperc.kernels.text import Exchange, merge_classes

WORDS = 6  # and a rare one
TEXTS = st.lists(
    st.lists(st.integers(0, WORDS), min_size=0, max_size=9), min_size=1, max_size=9
)


def exchange_of(sentences, start, classes, sides):
    ids = np.asarray([word for ids in sentences for word in ids], dtype=np.int32)
    bounds = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
    start = np.asarray(start, dtype=np.int32)
    return Exchange(ids, bounds, start, classes=classes, sides=sides)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.data())
def test_exchange_moves_the_words_that_the_twin_moves(sentences, data):
    sides = data.draw(st.sampled_from([1, 2]))
    classes = data.draw(st.integers(1, 5))
    one = st.integers(0, classes - 1)
    start = data.draw(st.lists(one, min_size=WORDS, max_size=WORDS))
    cuts = data.draw(st.sets(st.integers(1, WORDS - 1)))
    batches = [0, *sorted(cuts), WORDS]
    exchange = exchange_of(sentences, start, classes, sides)
    wanted = start
    for _ in range(3):
        given_ = sentences, wanted, classes, sides, batches
        wanted, moved = reference.exchange_pass(*given_)
        found = 0
        for first, last in pairwise(batches):
            before = exchange.objective
            exchange.propose(first, last)
            moves = exchange.apply(first, last)
            found += moves
            # In whole numbers: no rounding can hide a loss.
            assert exchange.objective - before >= (moves > 0)
        assert exchange.classes.tolist() == wanted
        assert found == moved
        assert exchange.objective == reference.objective(sentences, wanted, sides)
        bits = reference.bits(sentences, wanted, sides)
        assert exchange.bits == pytest.approx(bits, abs=1e-5)


def test_exchange_of_contexts_with_many_words_and_with_few():
    """Rows with a cell for each class, and lists of cells."""
    rng = np.random.default_rng(4)
    words = 60
    sentences = [(rng.zipf(1.4, 12) % (words + 1)).tolist() for _ in range(150)]
    start = rng.integers(0, 4, words).tolist()
    exchange = exchange_of(sentences, start, 4, 2)
    wanted, _ = reference.exchange_pass(sentences, start, 4, 2, [0, 5, 30, 60])
    for first, last in pairwise([0, 5, 30, 60]):
        exchange.propose(first, last)
        exchange.apply(first, last)
    assert exchange.classes.tolist() == wanted


def test_exchange_counts_beyond_its_table():
    """A million times the same two words."""
    n = (1 << 20) + 5
    ids = np.tile(np.asarray([0, 1], dtype=np.int32), n)
    start = np.asarray([0, 0], dtype=np.int32)
    bounds = np.asarray([0, 2 * n], dtype=np.int64)
    exchange = Exchange(ids, bounds, start, classes=2, sides=1)
    before = exchange.bits
    exchange.propose(0, 2)
    assert exchange.apply(0, 2) == 1
    assert before == pytest.approx(1.0, abs=1e-4)
    assert exchange.bits == pytest.approx(0.0, abs=1e-4)
    once, rest, whole = (reference.entropy(x) for x in (1, n - 1, n))
    assert exchange.objective == pytest.approx(once + rest - whole, abs=2)


@pytest.mark.parametrize("sides", [1, 2])
def test_exchange_of_a_word_beside_itself(sides):
    """Twice its count lies beyond the table; the checked build sees it."""
    sentences = [[0] * 50 + [1, 0, 2]]
    exchange = exchange_of(sentences, [0, 0, 1], 2, sides)
    wanted, _ = reference.exchange_pass(sentences, [0, 0, 1], 2, sides, [0, 3])
    exchange.propose(0, 3)
    exchange.apply(0, 3)
    assert exchange.classes.tolist() == wanted


REFUSED = [
    *((ids, [0, 0], 2, 1, "LP503") for ids in ([0, 3], [0, -1])),
    *(([0, 1], [0, 2], 2, 1, "LP503"), ([0, 1], [0, 0], 2, 3, "LP086")),
    *(([0, 1], [0, 0], 2**30, 1, "LP086"), ([0, 1], [0, 0], 0, 1, "LP086")),
    *(([0, 1], [], 1, 1, "LP086"), ([0], [0], 1, 1, "LP504")),
]


@pytest.mark.parametrize(("ids", "start", "classes", "sides", "code"), REFUSED)
def test_exchange_refuses_what_does_not_fit(ids, start, classes, sides, code):
    ids, start = (np.asarray(x, dtype=np.int32) for x in (ids, start))
    bounds = np.asarray([0, 2], dtype=np.int64)
    with pytest.raises((ValueError, IndexError), match=code):
        Exchange(ids, bounds, start, classes=classes, sides=sides)


def test_exchange_refuses_words_that_are_not_there():
    exchange = exchange_of([[0, 1]], [0, 1], 2, 1)
    for first, last in [(-1, 1), (1, 0), (0, 3)]:
        with pytest.raises(IndexError, match="LP504"):
            exchange.propose(first, last)
        with pytest.raises(IndexError, match="LP504"):
            exchange.apply(first, last)


CELLS = st.integers(0, 6) | st.just(0)
TABLES = st.integers(1, 7).flatmap(
    lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=n, max_size=n)
)


@settings(max_examples=200, deadline=None)
@given(TABLES)
def test_merging_takes_the_pairs_of_brute_force(table):
    found = merge_classes(np.asarray(table, dtype=np.int64))
    assert list(map(tuple, found.tolist())) == reference.merges(table)


def test_merging_refuses_what_does_not_fit():
    for table, code in [
        (np.zeros((2, 3)), "LP502"),
        (np.full((2, 2), -1), "LP503"),
        (np.full((2, 2), 2**62), "LP503"),
        (np.zeros((0, 0)), "LP086"),
    ]:
        with pytest.raises((ValueError, IndexError), match=code):
            merge_classes(table.astype(np.int64))
