"""n-gram models by their words; the kernels are tested in kernels/test_ngrams.py."""

import math

import numpy as np
import pytest
from builders.text import lines, read_lines, text

from spacy_latperc.grammaticality.ngrams.ngram_model import NgramModel


@pytest.fixture(scope="module")
def model():
    return NgramModel.train(text())


def test_model_words_and_the_end_sum_to_one():
    sentences = read_lines("a b", "b a a")
    model = NgramModel.train(sentences)
    events = ["a", "b", None, "unknown"]
    for history in ([], ["a"], ["b", "a"], ["zebra"], ["a", "b", "a"]):
        for opening in (False, True):
            p = [model.prob(word, history, opening=opening) for word in events]
            assert math.isclose(sum(p), 1, abs_tol=1e-9)


def test_model_scores_lists_of_words(model):
    words = lines()[0].split()
    by_hand = sum(
        math.log(model.prob(word, words[:i], opening=True))
        for i, word in enumerate([*words, None])
    )
    real, shuffled = model.score_sentences([words, words[::-1]])
    assert np.isclose(real, by_hand) and real > shuffled


def test_model_scores_the_same_over_another_vocabulary(model):
    other = read_lines("zebra", *lines()[:5])
    found = model.score_sentences(other)
    assert np.isfinite(found).all()
    assert np.allclose(found[1:], model.score_sentences(text())[:5])


def test_model_takes_words_that_came_later_as_unknown(tmp_path):
    sentences = read_lines("a b", "b a a")
    model = NgramModel.train(sentences)
    before = model.prob("new", ["a"])
    sentences.vocabulary.add("new")
    assert model.prob("new", ["a"]) == before
    model.to_disk(tmp_path / "arpa")
    again = NgramModel.from_disk(tmp_path / "arpa")
    assert math.isclose(again.prob("new", ["a"]), before, rel_tol=1e-5)


def test_model_samples_with_a_seed(model):
    first, drawn = model.sample(20, seed=5)
    assert list(first) == list(model.sample(20, seed=5)[0])
    assert list(first) != list(model.sample(20, seed=6)[0])
    assert len(first) == 20 <= drawn


REFUSED = [
    *(({"order": order}, "LP086") for order in (0, 1, 6)),
    *(({"min_counts": x}, "LP402") for x in ([1, 1], [0, 1, 1], [1, 2, 1])),
]


def test_model_of_settings_or_texts_that_do_not_fit():
    for settings, code in REFUSED:
        with pytest.raises(ValueError, match=code):
            NgramModel.train(text(), **settings)
    with pytest.raises(ValueError, match="LP406.*order 5.*3 words or more"):
        NgramModel.train(read_lines("a b", "c"), order=5)
    with pytest.raises(ValueError, match="LP410"):
        NgramModel.train(read_lines("a b", "a c")).sample(1, shortest=200)
