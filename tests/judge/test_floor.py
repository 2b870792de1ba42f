"""The floor of a judge: few good sentences of known text lie below it."""

import math

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_latperc.judge.floor import Floor, Spelling, lowest_mean
from spacy_latperc.judge.sentence_features import COLUMNS

RNG = np.random.default_rng(0)
KNOWN = [RNG.normal(-5, 1, 1000), RNG.normal(-7, 1, 1000)]
OTHERS = [x - 4 for x in KNOWN]


def test_few_known_sentences_are_below_the_floor():
    for others in ([], OTHERS):
        floor = lowest_mean(KNOWN, others)
        assert all((x < floor).mean() <= 0.006 for x in KNOWN)


def test_the_floor_is_the_mean_of_those_of_out_of_domain_texts():
    wanted = np.mean([np.quantile(x, 0.005) for x in OTHERS])
    assert lowest_mean(KNOWN, OTHERS) == pytest.approx(wanted)
    assert lowest_mean(KNOWN, [x + 9 for x in KNOWN]) < wanted + 9


def test_one_text_has_a_floor_twice_as_far_away_and_no_sentences_none():
    floor, values = lowest_mean(KNOWN[:1], []), KNOWN[0]
    distance = np.median(values) - np.quantile(values, 0.005)
    assert floor == pytest.approx(np.median(values) - 2 * distance)
    assert lowest_mean([], []) == -math.inf


def test_what_is_saved_is_checked():
    saved = Floor(-math.inf, 9.5, Spelling({"a": 2})).to_dict()
    again = Floor.from_dict(saved)
    assert again.to_dict() == saved and again.lowest < -1e8
    for wrong in ({"lowest": "x"}, {"highest": True}, {"lowest": math.nan}):
        with pytest.raises(ValueError, match="finite"):
            Floor.from_dict({**saved, **wrong})
    with pytest.raises(ValueError, match="positive"):
        Floor.from_dict({**saved, "spelling": {"a": 0}})
    for wrong in (1, {}, {"spelling": {}}):
        with pytest.raises(ValueError, match="must be an object"):
            Floor.from_dict(wrong)


WORDS = {"the": 900, "there": 40, "then": 25, "other": 30, "a": 500, "x": 1}


def test_spelling_prefers_words_like_those_of_the_text():
    spelling = Spelling.learn(WORDS)
    assert spelling.cost("the") < spelling.cost("they") < spelling.cost("qzwk")
    assert spelling.cost("The") == spelling.cost("the")
    assert np.isfinite(spelling.cost("Ω" * 500))


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
    spelling = Spelling.learn(WORDS)
    assert spelling.cost(word) == pytest.approx(slow_cost(spelling.counts, word))


def test_the_worst_word_of_each_sentence_counts():
    nlp = spacy.blank("en")
    docs = [Doc(nlp.vocab, words=x) for x in (["the", "qzwk", "a"], [], ["then"])]
    spelling = Spelling.learn(WORDS)
    found = spelling.worst(docs, np.array([0, 1, 3, 4]))
    wanted = [spelling.cost(x) for x in ("the", "qzwk", "then")]
    assert found == pytest.approx(wanted)
    rows = [["the"], ["qzwk", "a"], ["then"]]
    assert spelling.worst_of(rows) == pytest.approx(wanted)
    assert not len(spelling.worst([], np.array([0])))


def test_few_good_sentences_are_below_the_floor():
    rng = np.random.default_rng(0)
    table = np.zeros((1000, len(COLUMNS)))
    table[:, COLUMNS.index("words")] = rng.integers(6, 20, 1000)
    table[:, COLUMNS.index("log probability, mean")] = rng.normal(-5, 1, 1000)
    letters = list("thexzq")
    text = [["".join(rng.choice(letters, 5)) for _ in range(9)] for _ in range(1000)]
    spelling = Spelling.learn(WORDS)
    costs = spelling.worst_of(text)
    floor = Floor.fit(spelling, [(table, costs)], [])
    assert (~floor.above(table, costs)).mean() <= 0.01
    lower = table - [[1.0] + [0.0] * (len(COLUMNS) - 1)]
    others = Floor.fit(spelling, [(table, costs)], [(lower, costs + 2)])
    means = table[:, COLUMNS.index("log probability, mean")]
    long = table[:, COLUMNS.index("words")] >= 8
    assert others.lowest == pytest.approx(np.quantile(means[long], 0.005) - 1)
    assert others.highest == pytest.approx(floor.highest + 1)
    assert (floor.above(table - [[9] * 18 + [0]], costs) == ~long).all()
    assert (floor.above(table, costs + 99) == ~long).all()
    few = Floor.fit(spelling, [(table[:3], costs[:3])], [])
    assert (few.lowest, few.highest) == (-math.inf, math.inf)
