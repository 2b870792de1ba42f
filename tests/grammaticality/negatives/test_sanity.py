"""What gives negatives away must be seen."""

from dataclasses import replace

import numpy as np
import pytest
from builders.text import read_lines, text

from spacy_latperc.grammaticality.negatives.baselines import (
    bag_of_words_accuracy,
    length_accuracy,
)
from spacy_latperc.grammaticality.negatives.constructions import find_construction
from spacy_latperc.grammaticality.negatives.make import Settings, make_negatives
from spacy_latperc.grammaticality.negatives.sanity import check_sanity


def halves(good, bad):
    """Positives and negatives over one vocabulary, to learn from and to test on."""
    both = read_lines(*good, *bad)
    n, m = len(good), len(bad)
    train = both.slice(0, n // 2), both.slice(n, n + m // 2)
    test = both.slice(n // 2, n), both.slice(n + m // 2, n + m)
    return train, test


def test_classifiers_words_that_tell():
    train, test = halves(["a b c", "b c"] * 40, ["a b d", "b d"] * 40)
    assert bag_of_words_accuracy(train, test) == 1
    assert length_accuracy(train, test) == 0.5


def test_classifiers_lengths_that_tell():
    train, test = halves(["a a a"] * 20, ["a a"] * 20)
    assert length_accuracy(train, test) == 1


def test_classifiers_new_lengths_are_right_by_half():
    train, test = halves(["a", "a a a"], ["a a", "a a a a"])
    assert length_accuracy(train, test) == 0.5


@pytest.fixture(scope="module")
def matched():
    return make_negatives(text(), Settings(find_construction("kn_m"), n=200))


def test_sanity_of_a_matched_set(matched):
    sanity = check_sanity(matched, text())
    assert sanity.length_accuracy == 0.5
    assert sanity.verbatim == 0
    assert [x.kind for x in sanity.lengths] == ["real", "n-gram"]
    assert sanity.lengths[0].quantiles == sanity.lengths[1].quantiles
    assert sum(sanity.parts.values()) == len(matched.part)
    assert sanity.tested == 2 * (sanity.parts["dev"] + sanity.parts["test"])
    assert {k: len(v) for k, v in sanity.samples.items()} == {"real": 3, "n-gram": 3}


def test_sanity_of_one_part_holds_out_a_fifth(matched):
    alone = replace(matched, part=np.zeros_like(matched.part))
    assert check_sanity(alone, text()).tested == 2 * -(-len(matched.part) // 5)


def test_sanity_sees_what_raw_samples_give_away():
    sentences = text()
    settings = Settings(find_construction("kn_raw"), n=200)
    sanity = check_sanity(make_negatives(sentences, settings), sentences)
    assert sanity.length_accuracy > 0.6
    assert sanity.known_tokens > 0.9


def test_sanity_counts_copies_and_strange_words(matched):
    whole = read_lines("a b", "c d", "c a", "x y")
    copied = replace(
        matched,
        positives=whole.slice(0, 2),
        negatives=whole.slice(2, 4),
        part=np.asarray([0, 1]),
        kinds=np.asarray(["n-gram", "swap"]),
    )
    sanity = check_sanity(copied, whole.slice(0, 3))
    assert sanity.verbatim == 0.5
    assert sanity.known_tokens == 0.5
    assert sanity.known_words == 0.5
