"""Evidence of sentences: columns against slow twins, and the model that joins them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.judge import sentence_features as features
from spacy_latperc.judge.collect_features import costs_of_errors
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
    context_table = features.context_columns(contexts, bounds)
    for kind, table, slow, found in (
        ("ngram", features.ngram_columns(ngrams, bounds, 1000.0), slow_ngrams, ngrams),
        ("contexts", context_table, slow_contexts, contexts),
        ("errors", features.error_columns(wrong, bounds), slow_errors, wrong),
    ):
        assert table.shape == (len(lengths), len(features.columns_of(kind)))
        for row, start, end in zip(table, bounds, bounds[1:], strict=False):
            assert row == pytest.approx(slow(found, range(start, end)))


def test_length_columns_share_one_between_two_lengths():
    lengths = [1, 4, 6, 16, 500]
    table = features.length_columns(bounds_of(lengths))
    assert table[:, -1].tolist() == lengths
    table = table[:, :-1]
    assert table.sum(axis=1) == pytest.approx(1)
    assert table[0, 0] == table[1, 0] == 1
    assert 0 < table[2, 1] < table[2, 0] + table[2, 1]
    assert table[4, -1] == 1
    names = features.names_of(features.KINDS)
    assert len(set(names)) == len(names) == len(features.signs_of(features.KINDS))


def sentences(n=400, seed=0):
    """Good sentences, and bad ones made from them: the detector sees the errors, and
    n-grams are mostly about how rare the words are."""
    rng = np.random.default_rng(seed)
    kinds = ["ngram", "errors", "length"]
    names = features.names_of(kinds)
    rare = rng.normal(size=n) * 3
    table = rng.normal(size=(2 * n, len(names))) * 0.1
    for half, shift in ((0, 0.0), (n, 1.0)):
        here = slice(half, half + n)
        probability = names.index("above single words, mean")
        table[here, probability] = rare - shift + rng.normal(size=n) * 0.3
        expected = names.index("errors expected")
        table[here, expected] = shift + rng.normal(size=n) * 0.5
    good = np.arange(2 * n) < n
    pairs = np.stack([np.arange(n), np.arange(n) + n], axis=1)
    return kinds, names, table, good, pairs


def test_joined_tells_sentences_and_pairs_apart():
    kinds, names, table, good, pairs = sentences()
    joined = Joined.fit(kinds, table, good, pairs)
    scores = joined(table)
    assert ((scores > 0) == good).mean() > 0.75
    versions = joined.compare(table)
    assert (versions[pairs[:, 0]] > versions[pairs[:, 1]]).mean() > 0.9
    # Among sentences, what is rare counts less than between versions of one.
    at, best = names.index("above single words, mean"), names.index("errors expected")
    one, other = np.array(joined.versions), np.array(joined.weights)
    assert one[at] / one[best] < 2 * other[at] / other[best] < 0
    alone = Joined.fit(kinds, table, good, pairs[:0])
    assert alone.weights == joined.weights
    assert (alone.compare(table) == alone(table)).all()
    assert Joined.from_dict(joined.to_dict()) == joined
    kinds = ["errors", "contexts"]
    table, names = table[:, :8], features.names_of(kinds)
    first = ("no error, sum", "contexts: log probability, mean")
    plain = table[:, [names.index(x) for x in first]].sum(axis=1)
    assert Joined.first(kinds)(table[:, : len(names)]) == pytest.approx(plain)


def test_joined_has_no_weight_against_what_a_column_means():
    kinds, names, table, good, pairs = sentences()
    worst = names.index("second worst token")
    table[:, worst] = good  # the more, the better: that cannot be
    joined = Joined.fit(kinds, table, good, pairs)
    assert joined.weights[worst] == 0
    for versions, found in ((False, joined.weights), (True, joined.versions)):
        signs = np.array(features.signs_of(kinds, versions=versions))
        known = ~np.isnan(signs)
        assert (np.array(found)[known] * signs[known] >= 0).all()
        assert (np.array(found)[signs == 0] == 0).sum() >= versions


def test_joined_versions_are_those_of_a_slow_fit():
    """Steps down the slope of the loss over pairs, one pair after the other."""
    kinds = ["errors", "length"]
    rng = np.random.default_rng(3)
    names = features.names_of(kinds)
    table = rng.normal(size=(60, len(names)))
    table[:30, 0] += 1.0  # no error, sum
    table[30:, 1] += 0.5  # errors expected
    pairs = np.stack([np.arange(30), np.arange(30, 60)], axis=1)
    joined = Joined.fit(kinds, table, np.arange(60) < 30, pairs)
    differences = table[:30] - table[30:]
    spread = np.sqrt((differences**2).mean(axis=0))
    signs = features.signs_of(kinds, versions=True)
    found = np.zeros(len(names))
    for _ in range(4000):
        slope = -10.0 * found
        for row in differences / spread:
            slope += row / (1 + math.exp(found @ row))
        found += 0.02 * slope
        for n, sign in enumerate(signs):
            if sign == 0 or found[n] * sign < 0:
                found[n] = 0.0
    assert joined.versions == pytest.approx(found / spread, abs=2e-3)


def test_joined_length_corrects_the_probabilities_of_each_length():
    kinds, names, table, good, pairs = sentences()
    lengths = np.random.default_rng(1).choice([4, 40], size=len(good) // 2)
    both = np.concatenate([lengths, lengths])
    of_length = features.length_columns(bounds_of(both.tolist()))
    table[:, [names.index(x) for x in features.columns_of("length")]] = of_length
    # Short sentences look worse, good and bad ones alike.
    table[:, names.index("errors expected")] += 2.0 * (both == 4)
    scores = Joined.fit(kinds, table, good, pairs)(table)
    for length in (4, 40):
        here = both == length
        assert abs((1 / (1 + np.exp(-scores[here]))).mean() - 0.5) < 0.03


UNKNOWN, NUMBERS = "column is unknown", "must be numbers"
DAMAGE = [
    *(({"columns": x}, UNKNOWN) for x in (["no such"], "length, 4")),
    *(({"weights": x}, NUMBERS) for x in (["1"], [True])),
    *(
        ({"weights": []}, "weight for each"),
        ({"versions": [1.0, 2.0]}, "weight for each"),
    ),
    *(
        ({"bias": float("nan")}, "weights must be"),
        ({"weights": [1e300]}, "weights must be"),
    ),
    *(({"versions": [None]}, NUMBERS), ({"more": 1}, "must be an object")),
]


@pytest.mark.parametrize(("change", "message"), DAMAGE)
def test_joined_refuses_damage(change, message):
    saved = {"columns": ["length, 4"], "weights": [1.0], "bias": 0.0, **change}
    with pytest.raises(ValueError, match=message):
        Joined.from_dict(saved)


def test_costs_of_errors_are_above_half_of_the_worst():
    wrong = np.array([0.1, 0.8, 0.6, 0.1, 0.5, 0.9, 0.2])
    costs = costs_of_errors(wrong, np.array([0, 4, 7]), np.array([0, 1]), 2)
    assert costs[0][1].tolist() == pytest.approx([0.4, 0.6])
    assert costs[0][0, 0] < 0 > costs[0][2, 1]
    assert costs[1][1, 0] == pytest.approx(0.45)
    assert (costs[1][2] < 0).all()
