"""Sentences as word numbers."""

import numpy as np
from builders.text import read_lines

from spacy_latperc.grammaticality.rng import fractions, random_bits, random_order
from spacy_latperc.text.sentences import (
    first_of_each,
    from_ids,
    join,
)


def test_sentences_take_gives_them_in_order():
    sentences = read_lines("a b", "c", "d e f")
    found = sentences.take(np.asarray([2, 0, 2]))
    assert list(found) == [["d", "e", "f"], ["a", "b"], ["d", "e", "f"]]
    assert len(read_lines("a b").take(np.zeros(0, np.int64))) == 0


def test_sentences_slice_join_and_keep_the_first_of_each():
    assert list(read_lines("a", "b c", "d").slice(1, 9)) == [["b", "c"], ["d"]]
    sentences = read_lines("a b", "c")
    again = from_ids(sentences.vocabulary, [sentences.ids[:2], sentences.ids[2:]])
    assert list(join(sentences.vocabulary, [again, again])) == list(sentences) * 2
    assert first_of_each(read_lines("a", "b", "a", "c", "b").hashes()).tolist() == [
        0,
        1,
        3,
    ]


def test_chance_is_fair_the_same_everywhere_and_depends_on_every_seed():
    assert np.array_equal(random_bits(5, 1, 2), random_bits(9, 1, 2)[:5])
    assert not np.array_equal(random_bits(5, 1, 2), random_bits(5, 2, 1))
    assert random_bits(2, 0).tolist() == [12035550249420947055, 12935080325729570654]
    x = fractions(10_000, 3)
    assert 0 <= x.min() and x.max() < 1
    assert abs(x.mean() - 0.5) < 0.01
    assert sorted(random_order(50, 1).tolist()) == list(range(50))
