"""Evidence of sentences: columns against slow twins, and the model that joins them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.judge.sentence_features import (
    COLUMNS,
    SIGNS,
    VERSION_SIGNS,
    context_columns,
    error_columns,
    length_columns,
    ngram_columns,
)
from spacy_latperc.judge.sentence_scorer import Joined

LENGTHS = st.lists(st.integers(0, 7), min_size=1, max_size=6)


def bounds_of(lengths):
    return np.cumsum([0, *lengths]).astype(np.int64)


def found_of(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "prob": -rng.random(n) * 12,
        "next": -rng.random(n) * 12,
        "count": np.floor(rng.random(n) * 4),
    }


def slow_ngrams(found, at):
    """The columns of one sentence, token by token. at: the places of its tokens."""
    tokens, n = 1000.0, len(at)
    prob = [float(found["prob"][i]) for i in at]
    last = float(found["next"][at[-1]]) if n else 0.0
    alone = [math.log(max(found["count"][i], 0.5) / tokens) for i in at]
    above = sum(max(p, a - 12) - a for p, a in zip(prob, alone, strict=True)) + last
    worst = (sorted(prob) + [max(prob)] * 3)[:3] if prob else [0.0] * 3
    return [
        (sum(prob) + last) / (max(n, 1) + 1),
        sum(prob) + last,
        above / (max(n, 1) + 1),
        sum(worst) / 3,
        sum(found["count"][i] == 0 for i in at),
    ]


def slow_contexts(found, at):
    fit = [found["fit"][i] for i in at]
    more = [sum(max(found[x][i], 0) for i in at) for x in ("better", "fewer")]
    return [sum(fit) / max(len(fit), 1), sum(fit), *more]


def slow_errors(wrong, at):
    p = [min(max(wrong[i], 1e-6), 1 - 1e-6) for i in at]
    worst, second = [*sorted(p, reverse=True), 0.0, 0.0][:2] if p else (1e-6, 0.0)
    odds = math.log(worst / (1 - worst))
    return [sum(math.log1p(-x) for x in p), sum(p), second, odds]


@given(LENGTHS, st.integers(0, 99))
def test_columns_are_those_of_the_slow_twins(lengths, seed):
    bounds = bounds_of(lengths)
    n, rng = int(bounds[-1]), np.random.default_rng(seed)
    ngrams = found_of(n, seed)
    contexts = {name: rng.normal(size=n) for name in ("fit", "better", "fewer")}
    wrong = rng.random(n)
    for table, slow, found in (
        (ngram_columns(ngrams, bounds, 1000.0), slow_ngrams, ngrams),
        (context_columns(contexts, bounds), slow_contexts, contexts),
        (error_columns(wrong, bounds), slow_errors, wrong),
    ):
        assert len(table) == len(lengths)
        for row, start, end in zip(table, bounds, bounds[1:], strict=False):
            assert row == pytest.approx(slow(found, range(start, end)))


def test_length_columns_share_one_between_two_lengths():
    lengths = [1, 4, 6, 16, 500]
    table = length_columns(bounds_of(lengths))
    assert table[:, -1].tolist() == lengths
    table = table[:, :-1]
    assert table.sum(axis=1) == pytest.approx(1)
    assert table[0, 0] == table[1, 0] == 1
    assert 0 < table[2, 1] < table[2, 0] + table[2, 1]
    assert table[4, -1] == 1


def sentences(n=400, seed=0):
    """Good sentences, and bad ones made from them: the detector sees the errors, and
    n-grams are mostly about how rare the words are."""
    rng = np.random.default_rng(seed)
    rare = rng.normal(size=n) * 3
    tables = []
    for shift in (0.0, 1.0):
        table = rng.normal(size=(n, len(COLUMNS))) * 0.1
        probability = COLUMNS.index("above single words, mean")
        table[:, probability] = rare - shift + rng.normal(size=n) * 0.3
        expected = COLUMNS.index("errors expected")
        table[:, expected] = shift + rng.normal(size=n) * 0.5
        tables.append(table)
    return tables


def test_joined_tells_sentences_and_pairs_apart():
    good, bad = sentences()
    joined = Joined.fit(good, bad, good - bad)
    assert (joined(good) > 0).mean() + (joined(bad) < 0).mean() > 1.5
    assert (joined.compare(good) > joined.compare(bad)).mean() > 0.9
    # Among sentences, what is rare counts less than between versions of one.
    at, best = map(COLUMNS.index, ("above single words, mean", "errors expected"))
    one, other = joined.versions, joined.weights
    assert one[at] / one[best] < 2 * other[at] / other[best] < 0
    assert Joined.from_dict(joined.to_dict()) == joined


def test_joined_has_no_weight_against_what_a_column_means():
    good, bad = sentences()
    worst = COLUMNS.index("second worst token")
    good[:, worst], bad[:, worst] = 1, 0  # the more, the better: that cannot be
    joined = Joined.fit(good, bad, good - bad)
    assert joined.weights[worst] == 0
    for signs, found in ((SIGNS, joined.weights), (VERSION_SIGNS, joined.versions)):
        assert tuple(signs) == COLUMNS
        for sign, weight in zip(signs.values(), found, strict=True):
            assert math.isnan(sign) or weight * sign >= 0
            assert sign != 0 or weight == 0


def test_joined_versions_are_those_of_a_slow_fit():
    """Steps down the slope of the loss over pairs, one pair after the other."""
    rng = np.random.default_rng(3)
    good, bad = rng.normal(size=(2, 30, len(COLUMNS)))
    good[:, COLUMNS.index("no error, sum")] += 1.0
    bad[:, COLUMNS.index("errors expected")] += 0.5
    differences = good - bad
    joined = Joined.fit(good, bad, differences)
    spread = np.sqrt((differences**2).mean(axis=0))
    found = np.zeros(len(COLUMNS))
    for _ in range(4000):
        slope = -10.0 * found
        for row in differences / spread:
            slope += row / (1 + math.exp(found @ row))
        found += 0.02 * slope
        for n, sign in enumerate(VERSION_SIGNS.values()):
            if sign == 0 or found[n] * sign < 0:
                found[n] = 0.0
    assert joined.versions == pytest.approx(found / spread, abs=2e-3)


def test_joined_length_corrects_the_probabilities_of_each_length():
    good, bad = sentences()
    lengths = np.random.default_rng(1).choice([4, 40], size=len(good))
    of_length = length_columns(bounds_of(lengths.tolist()))
    for table in (good, bad):
        table[:, -of_length.shape[1] :] = of_length
        # Short sentences look worse, good and bad ones alike.
        table[:, COLUMNS.index("errors expected")] += 2.0 * (lengths == 4)
    joined = Joined.fit(good, bad, good - bad)
    for length in (4, 40):
        here = lengths == length
        scores = np.concatenate([joined(good[here]), joined(bad[here])])
        assert abs((1 / (1 + np.exp(-scores))).mean() - 0.5) < 0.03


NUMBERS = dict.fromkeys(COLUMNS, 1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": {}}, "number for each"),
        ({"weights": [1.0]}, "number for each"),
        ({"weights": {**NUMBERS, "words": "1"}}, "must be numbers"),
        ({"weights": {**NUMBERS, "words": True}}, "must be numbers"),
        ({"bias": float("nan")}, "weights must be from"),
        ({"weights": {**NUMBERS, "words": 1e300}}, "weights must be from"),
        ({"versions": {"words": 1.0}}, "number for each"),
        ({"more": 1}, "must be an object"),
    ],
)
def test_joined_refuses_damage(change, message):
    saved = {"weights": NUMBERS, "versions": NUMBERS, "bias": 0.0, **change}
    with pytest.raises(ValueError, match=message):
        Joined.from_dict(saved)
