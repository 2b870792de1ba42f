"""The floor of a judge: few good sentences of known text lie below it."""

import math

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_latperc.judge.floor import Floor, WordModel
from spacy_latperc.judge.sentence_features import COLUMNS

MODEL = WordModel({"a": 2}, {"a": 2})


def test_what_is_saved_is_checked():
    saved = Floor((math.inf, 9.5, 1.0), MODEL).to_dict()
    again = Floor.from_dict(saved)
    assert again.to_dict() == saved and again.highest[0] > 1e8
    for wrong in ("x", True, math.nan):
        with pytest.raises(ValueError, match="finite"):
            Floor.from_dict({**saved, "highest": [wrong, 1, 1]})
    with pytest.raises(ValueError, match="3 finite"):
        Floor.from_dict({**saved, "highest": [1]})
    for name in ("words", "letters"):
        with pytest.raises(ValueError, match="positive"):
            Floor.from_dict({**saved, name: {"a": 0}})
    with pytest.raises(ValueError, match="at most 3"):
        Floor.from_dict({**saved, "letters": {"abcd": 1}})
    for wrong in (1, {}, {"words": {}}):
        with pytest.raises(ValueError, match="must be an object"):
            Floor.from_dict(wrong)


WORDS = {"the": 900, "there": 40, "then": 25, "other": 30, "a": 500, "x": 1}


def test_spelling_prefers_words_like_those_of_the_text():
    model = WordModel.learn(WORDS)
    assert model.cost("the") < model.cost("they") < model.cost("qzwk")
    assert model.cost("The") == model.cost("the")
    assert np.isfinite(model.cost("Ω" * 500))


def usual_cost(counts):
    """The mean cost of the letters of the text."""
    known = {x: n for x, n in counts.items() if len(x) == 3}
    costs = 0.0
    for letters, n in known.items():
        before = sum(m for x, m in counts.items() if x[:-1] == letters[:-1])
        costs -= n * math.log(n / (before + 1))
    return costs / sum(known.values())


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
    return cost - usual_cost(counts) * (len(letters) - 1)


@given(st.text("thexzq", min_size=1, max_size=8))
def test_the_cost_of_a_word_is_that_of_the_slow_twin(word):
    model = WordModel.learn(WORDS)
    assert model.cost(word) == pytest.approx(slow_cost(model.counts, word))


def slow_costs(model, words):
    """The mean costs of the words of a sentence and of their letters."""
    kept = [word for word in words if any(letter.isalpha() for letter in word)]
    total = sum(model.words.values()) + 1
    rare = [math.log(total / model.words.get(word.lower(), 0.5)) for word in kept]
    fresh = [word for word in kept if word.lower() not in model.words]
    strange = [max(model.cost(word) - 15, 0) for word in fresh]
    return sum(rare) / max(len(kept), 1), sum(strange) / max(len(kept), 1)


def test_the_mean_costs_of_sentences_are_those_of_the_slow_twin():
    nlp = spacy.blank("en")
    rows = [["the", "!?!?!?!?", "qzwkqzwkqzwk."], ["The", "a", "."], ["9", "."]]
    model = WordModel.learn({**WORDS, "The": 7, ".": 99})
    assert model.words["the"] == 907 and "." not in model.words
    wanted = np.array([slow_costs(model, words) for words in rows])
    assert wanted[0].min() > 0 and not wanted[2].any()
    assert model.costs_of(rows) == pytest.approx(wanted)
    docs = [Doc(nlp.vocab, words=x) for x in (rows[0], [], [*rows[1], " ", *rows[2]])]
    assert model.costs_in(docs, np.array([0, 3, 7, 9])) == pytest.approx(wanted)
    assert not len(model.costs_in([], np.array([0])))


def test_few_good_sentences_are_below_the_floor():
    rng = np.random.default_rng(0)
    table = np.zeros((1000, len(COLUMNS)))
    table[:, COLUMNS.index("words")] = rng.integers(6, 20, 1000)
    means = rng.normal(-5, 1, 1000)
    table[:, COLUMNS.index("log probability, mean")] = means
    costs = np.abs(rng.normal(5, 1, (1000, 2)))
    long = table[:, COLUMNS.index("words")] >= 8
    floor = Floor.fit(MODEL, [(table, costs)], [(table, costs)])
    wanted = (np.quantile(costs[long, 0], 0.995), np.quantile(costs[long, 1], 0.985))
    assert floor.highest[:2] == pytest.approx(wanted)
    assert floor.highest[2] == pytest.approx(np.quantile(-means[long], 0.9875))
    assert 0.02 < (~floor.above(table, costs)).mean() <= 0.05
    assert (floor.above(table - [[9] * 18 + [0]], costs) == ~long).all()
    assert (floor.above(table, costs + 99) == ~long).all()


def test_the_strangest_text_has_the_floor_and_one_text_a_lower_one():
    rng = np.random.default_rng(1)
    table = np.full((100, len(COLUMNS)), 9.0)
    costs = rng.random((100, 2))
    near, far = (table, costs), (table - 1, costs + 2)
    assert Floor.fit(MODEL, [near], [far]) == Floor.fit(MODEL, [far], [near])
    (first, second, _) = Floor.fit(MODEL, [near], [far]).highest
    alone = Floor.fit(MODEL, [far], []).highest
    medians = np.median(costs + 2, axis=0)
    assert alone[:2] == pytest.approx(2 * np.array([first, second]) - medians)
    few = Floor.fit(MODEL, [(table[:3], costs[:3])], [])
    assert few.highest == (math.inf,) * 3
