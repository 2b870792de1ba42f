"""The floor of a judge: few good sentences of known text lie below it."""

import math

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_latperc.judge.floor import (
    Spelling,
    check_floor,
    check_spelling,
    choose_floor,
    highest_cost,
)

RNG = np.random.default_rng(0)
KNOWN = [RNG.normal(-5, 1, 1000), RNG.normal(-7, 1, 1000)]
STRANGE = [x - 4 for x in KNOWN]


def test_few_known_sentences_are_below_the_floor():
    for strange in ([], STRANGE):
        floor = choose_floor(KNOWN, strange)
        assert all((x < floor).mean() <= 0.006 for x in KNOWN)


def test_the_floor_is_the_mean_of_those_of_strange_texts():
    wanted = np.mean([np.quantile(x, 0.005) for x in STRANGE])
    assert choose_floor(KNOWN, STRANGE) == pytest.approx(wanted)
    assert choose_floor(KNOWN, [x + 9 for x in KNOWN]) < wanted + 9


def test_one_text_has_a_floor_twice_as_far_away_and_few_sentences_none():
    floor, values = choose_floor(KNOWN[:1], []), KNOWN[0]
    distance = np.median(values) - np.quantile(values, 0.005)
    assert floor == pytest.approx(np.median(values) - 2 * distance)
    assert choose_floor([], []) is None
    assert choose_floor([np.zeros(3)], []) is None


def test_what_is_saved_is_checked():
    check_floor(-9.5)
    check_floor(None)
    for saved in ("x", True, float("nan"), float("inf"), [1.0]):
        with pytest.raises(ValueError, match="floor must be"):
            check_floor(saved)
    check_spelling(Spelling({"a": 2}, 3.0).to_dict())
    some = {"counts": {"a": 0}, "highest": 1.0}
    for saved in (1, {}, some, {"counts": {}, "highest": "x"}):
        with pytest.raises(ValueError, match="spelling|floor"):
            check_spelling(saved)


WORDS = {"the": 900, "there": 40, "then": 25, "other": 30, "a": 500, "x": 1}


def test_spelling_prefers_words_like_those_of_the_text():
    spelling = Spelling.learn(WORDS)
    assert spelling.cost("the") < spelling.cost("they") < spelling.cost("qzwk")
    assert spelling.cost("The") == spelling.cost("the")
    assert np.isfinite(spelling.cost("Ω" * 500))


def slow_cost(counts, word):
    """The cost letter by letter, by the longest known sequence."""
    letters, cost = f"^{word.lower()}$", 0.0
    for end in range(2, len(letters) + 1):
        known = [letters[max(end - n, 0) : end] for n in (3, 2, 1) if n <= end]
        steps = [n for n, x in enumerate(known) if x in counts]
        if steps:
            found = known[steps[0]]
            same = [n for x, n in counts.items() if x[:-1] == found[:-1]]
            share = counts[found] / (sum(same) + 1)
            cost -= math.log(share * 0.4 ** steps[0])
        else:
            total = sum(n for x, n in counts.items() if len(x) == 1)
            cost -= math.log(0.4 ** len(known) / (total + 1))
    return cost


@given(st.text("thexzq", min_size=1, max_size=8))
def test_the_cost_of_a_word_is_that_of_the_slow_twin(word):
    spelling = Spelling.learn(WORDS)
    assert spelling.cost(word) == pytest.approx(slow_cost(spelling.counts, word))


def test_the_worst_word_of_each_sentence_counts():
    nlp = spacy.blank("en")
    docs = [Doc(nlp.vocab, words=x) for x in (["the", "qzwk", "a"], [], ["then"])]
    spelling = Spelling.learn(WORDS)
    found = spelling.worst(docs, np.array([0, 1, 3, 4]))
    wanted = [spelling.cost(x) for x in ("the", "qzwk", "then")]
    assert found == pytest.approx(wanted)
    assert not len(spelling.worst([], np.array([0])))


def test_few_words_of_good_sentences_cost_more_than_the_highest():
    assert highest_cost([[1.0]]) is None
    costs = np.arange(1000.0)
    assert (costs > highest_cost([costs, costs / 2])).mean() <= 0.005
