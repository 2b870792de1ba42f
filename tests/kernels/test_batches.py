"""Batches of Docs: sentence bounds, fingerprints, blocks of feature ids."""

import numpy as np
import pytest
from builders import chains as small
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.kernels.chains import fingerprints, sentence_bounds


def offsets(lengths):
    return np.cumsum([0, *lengths], dtype=np.int64)


def bounds_of(starts, lengths):
    bounds, per_doc = sentence_bounds(np.array(starts, np.uint64), offsets(lengths))
    return bounds.tolist(), per_doc.tolist()


@given(st.lists(st.lists(st.booleans(), max_size=5), max_size=5))
def test_sentence_bounds_equal_twin(docs):
    starts = [int(start) for doc in docs for start in doc]
    expected, per_doc, at = [], [], 0
    for doc in docs:
        begins = [i for i, start in enumerate(doc) if start or i == 0]
        expected += [at + i for i in begins]
        per_doc.append(len(begins))
        at += len(doc)
    assert bounds_of(starts, list(map(len, docs))) == ([*expected, at], per_doc)
    # -1 (as an unsigned number) says that a token does not start a sentence.
    assert bounds_of([1, 0, 1, 2**64 - 1, 1], [5]) == ([0, 2, 4, 5], [3])


def test_fingerprints_change_with_any_cell_the_order_and_the_length():
    rng = np.random.default_rng(1)
    values = rng.integers(0, 2**64 - 1, size=(4, 3), dtype=np.uint64)
    docs = offsets([4])
    marks = {fingerprints(values, docs)[0]}
    for cell in np.ndindex(values.shape):
        changed = values.copy()
        changed[cell] += 1
        marks.add(fingerprints(changed, docs)[0])
    marks.add(fingerprints(values[::-1].copy(), docs)[0])
    assert len(marks) == 2 + values.size
    zeros = np.zeros((9, 2), dtype=np.uint64)
    marks = [fingerprints(zeros[:n], offsets([n]))[0] for n in range(10)]
    assert len(set(marks)) == 10


def test_fingerprints_do_not_depend_on_the_rest_of_the_batch():
    values = np.arange(24, dtype=np.uint64).reshape(8, 3)
    together = fingerprints(values, offsets([3, 0, 5]))
    places = [(0, 3), (3, 3), (3, 8)]
    alone = [fingerprints(values[a:b], offsets([b - a]))[0] for a, b in places]
    assert together.tolist() == alone
    for lengths in ([], [0], [0, 0]):
        assert len(fingerprints(values[:0], offsets(lengths))) == len(lengths)


def test_batches_block_holds_the_ids_of_the_hashes():
    rng = np.random.default_rng(2)
    sentences = [small.random_sentence(rng, n, values=3) for n in (3, 0, 1, 70)]
    space = small.make_space()
    ids = small.extract(space, sentences).to_array()
    hashes = [row for attrs in sentences for row in small.hashes_of(attrs)]
    expected = [space.find_features(np.array(row, dtype=np.uint64)) for row in hashes]
    assert ids.tolist() == [row.tolist() for row in expected]


def test_batches_block_knows_its_size_also_with_a_cut_off():
    rng = np.random.default_rng(3)
    sentences = [small.random_sentence(rng, n) for n in (3, 0, 2)]
    block = small.extract(small.make_space(), sentences)
    assert (block.n_tokens, block.n_sentences, block.templates) == (
        5,
        3,
        len(small.PROGRAMS),
    )
    # SECOND and NEXT share a code, and the bias has none; both see one token beyond.
    assert block.nbytes == 4 * (5 * 3 + 3) + 8 * 4
    block = small.extract(small.make_space(min_count=2), sentences)
    assert block.nbytes == 4 * 5 * len(small.PROGRAMS) + 8 * 4


def test_batches_block_may_begin_inside_the_batch():
    attrs = small.random_sentence(np.random.default_rng(4), 6, values=5)
    space = small.make_space()
    inner = space.extract(attrs, np.array([2, 4, 6], dtype=np.int64))
    alone = small.extract(space, [attrs[2:4], attrs[4:6]])
    assert inner.to_array().tolist() == alone.to_array().tolist()


def test_batches_of_nothing_are_empty_and_bounds_are_checked():
    empty = np.empty((0, small.COLUMNS), dtype=np.uint64)
    for bounds in ([], [0], [0, 0]):
        block = small.make_space().extract(empty, np.array(bounds, dtype=np.int64))
        assert block.n_tokens == 0
        assert block.to_array().shape == (0, len(small.PROGRAMS))
    attrs = small.random_sentence(np.random.default_rng(5), 3)
    for bounds in (np.array(x, np.int64) for x in ([0, 4], [2, 1], [-1, 2])):
        with pytest.raises(IndexError):
            small.make_space().extract(attrs, bounds)
        with pytest.raises(IndexError):
            sentence_bounds(np.zeros(3, np.uint64), bounds)
