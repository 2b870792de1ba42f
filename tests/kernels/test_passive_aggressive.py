"""The passive-aggressive step against the twin, and what it promises.

Steps are no dyadic numbers: the twin takes the weights over before each step, and any
path that is best within rounding will do.
"""

import itertools

import numpy as np
import pytest
from builders import chains as small
from reference import chain as twin
from reference.side_by_side import (
    ROUNDING,
    SHAPES,
    learn_one,
    random_corpus,
    start_chain,
)

from spacy_latperc.kernels.chains import Rule

NEAR = 1e-4
UNCAPPED = 1e9
FREE_RULE = Rule.passive_aggressive(UNCAPPED)
ONE_FEATURE = twin.Shape(2, 1, 0, [(0, False, [small.FIRST])])


def near_best(scores):
    return [tuple(path) for path in np.argwhere(scores >= scores.max() - NEAR).tolist()]


def possible_steps(shape, hashes, gold, weights, cap, variant="PA-I"):
    """The losses and weights after one step; several where rounding chooses the path:
    a step that just meets the margin leaves two paths equally good."""
    mask = twin.gold_mask(shape, gold)
    inside = near_best(twin.path_scores(shape, hashes, weights, allowed=mask))
    free = near_best(twin.path_scores(shape, hashes, weights, costs=1.0 - mask))
    for better, worse in itertools.product(inside, free):
        learner = twin.Learner(
            shape,
            lambda *_, pair=(better, worse): twin.passive_aggressive_step(
                shape, hashes, gold, weights, *pair, cap=cap, variant=variant
            ),
            {name: row.copy() for name, row in weights.items()},
        )
        yield learner.learn(hashes, gold), learner.weights


def learn_like_twin(chain, shape, sentence, gold, cap, variant="PA-I"):
    """One step that is one of those of the twin."""
    before = small.read_weights(chain)
    rule = Rule.passive_aggressive(cap, variant)
    loss, impossible = learn_one(chain, sentence, gold, rule)
    after = small.read_weights(chain)
    assert impossible == []
    hashes = small.hashes_of(sentence)
    possible = possible_steps(shape, hashes, gold.tolist(), before, cap, variant)
    assert any(
        abs(loss - expected) <= NEAR and small.largest_gap(after, weights) <= ROUNDING
        for expected, weights in possible
    )
    return after


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("cap", [0.01, 0.25, UNCAPPED])
@pytest.mark.parametrize("unknown", [0.0, 0.4])
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_passive_aggressive_equals_twin(order, latent, form, unknown, cap, listed):
    rng = np.random.default_rng(3)
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    corpus = random_corpus(rng, 2, sentences=8, unknown=unknown, listed=listed)
    chain = start_chain(shape, corpus, rng)
    total = {}
    for sentence, gold in corpus * 3:
        after = learn_like_twin(chain, shape, sentence, gold, cap)
        for name, row in after.items():
            total[name] = total.get(name, 0.0) + row
    averaged = {name: row / chain.examples for name, row in total.items()}
    found = small.read_weights(chain, average=True)
    small.assert_same_weights(found, averaged, within=ROUNDING)


@pytest.mark.parametrize("variant", ["PA", "PA-II"])
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_passive_aggressive_variants_equal_twin(order, latent, form, variant):
    rng = np.random.default_rng(13)
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    corpus = random_corpus(rng, 2, sentences=8)
    chain = start_chain(shape, corpus, rng)
    for sentence, gold in corpus * 2:
        learn_like_twin(chain, shape, sentence, gold, 0.25, variant)


def test_passive_aggressive_squared_slack_by_hand():
    # loss 1, norm 1 + 1, C = 1/4: tau = 1 / (2 + 2).
    chain = small.make_chain(ONE_FEATURE)
    rule = Rule.passive_aggressive(0.25, "PA-II")
    learn_one(chain, np.ones((1, 2), np.uint64), np.array([1], np.int32), rule)
    (row,) = chain.weights(0).values()
    assert row.tolist() == [-0.25, 0.25]
    with pytest.raises(ValueError):
        Rule.passive_aggressive(0.25, "PA-III")


@pytest.mark.parametrize("order", [1, 2])
def test_passive_aggressive_equals_twin_on_long_sentences(order):
    # So many weights change at once that their sum has to grow, features in common.
    rng = np.random.default_rng(5)
    shape = small.make_shape("label", labels=2, order=order)
    corpus = random_corpus(rng, 2, sentences=6, longest=13, values=4)
    chain = start_chain(shape, corpus, rng)
    for sentence, gold in corpus:
        learn_like_twin(chain, shape, sentence, gold, UNCAPPED)


def one_step(shape, cap, seed, *, n=4):
    """Learns one sentence. RETURNS: its gold labels, hashes, weights before and after,
    and the two paths that the step compares."""
    rng = np.random.default_rng(seed)
    sentence = small.random_sentence(rng, n)
    gold = rng.integers(0, shape.labels, size=n).astype(np.int32)
    chain = start_chain(shape, [(sentence, gold)], rng)
    hashes = small.hashes_of(sentence)
    before = small.read_weights(chain)
    paths = twin.search_both(shape, hashes, gold.tolist(), before, 1.0)
    loss, _ = learn_one(chain, sentence, gold, Rule.passive_aggressive(cap))
    return gold.tolist(), hashes, before, small.read_weights(chain), paths, loss


def gap(shape, hashes, weights, paths):
    """Compute the margin of the gold path."""
    inside, free = (twin.path_features(shape, hashes, path) for path in paths)
    return twin.score(weights, inside) - twin.score(weights, free)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_passive_aggressive_uncapped_step_meets_the_margin(order, latent, form, seed):
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    gold, hashes, before, after, paths, loss = one_step(shape, UNCAPPED, seed)
    cost = twin.hamming(shape, gold, paths[1])
    assert loss == pytest.approx(cost - gap(shape, hashes, before, paths), abs=1e-4)
    if loss > 0:
        assert gap(shape, hashes, after, paths) == pytest.approx(cost, abs=1e-3)
    else:
        small.assert_same_weights(after, before, within=0.0)


@pytest.mark.parametrize("cap", [2**-10, 2**-6])
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_passive_aggressive_step_is_capped(order, latent, form, cap):
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    for seed in range(5):
        _, hashes, before, after, paths, loss = one_step(shape, cap, seed)
        inside, free = (twin.path_features(shape, hashes, path) for path in paths)
        delta = twin.difference(inside, free)
        squared_norm = sum(count * count for count in delta.values())
        if loss <= cap * squared_norm:
            continue
        for (b, key, cell), count in delta.items():
            change = after[b, key][cell] - before[b, key][cell]
            assert change == pytest.approx(cap * count, abs=1e-6)
        return
    pytest.fail("no step was long enough to be capped")


@pytest.mark.parametrize("latent", [1, 2])
def test_passive_aggressive_learns_without_a_mistake_inside_the_margin(latent):
    # The labels are right, but by less than the margin.
    shape = twin.Shape(2, latent, 0, [(0, True, [small.FIRST])])
    sentence = np.ones((1, 2), dtype=np.uint64)
    ((key,),) = [[row[small.FIRST] for row in small.hashes_of(sentence)]]
    start = {(0, key): np.array([0.0] * latent + [0.25] * latent)}
    chain = small.make_chain(shape, start)
    loss, _ = learn_one(chain, sentence, np.array([1], np.int32), FREE_RULE)
    assert loss == 0.75
    weights = small.read_weights(chain)
    scores = twin.path_scores(shape, small.hashes_of(sentence), weights)
    assert [scores[0], scores[latent]] == [-0.375, 0.625]


def test_passive_aggressive_counts_repeated_features():
    # One feature, three times: the squared norm is 3^2 + 3^2.
    chain = small.make_chain(ONE_FEATURE)
    gold = np.ones(3, dtype=np.int32)
    loss, _ = learn_one(chain, np.ones((3, 2), dtype=np.uint64), gold, FREE_RULE)
    (row,) = chain.weights(0).values()
    assert loss == 3.0
    assert row == pytest.approx([-0.5, 0.5])
    # Two features a token, each seen again 100 tokens later: 400 weights change by 2.
    shape = twin.Shape(2, 1, 0, [(0, False, [small.FIRST, small.SECOND])])
    chain = small.make_chain(shape)
    values = np.tile(np.arange(1, 101, dtype=np.uint64), 2)
    sentence = np.stack([values, values], axis=1)
    loss, _ = learn_one(chain, sentence, np.ones(200, np.int32), FREE_RULE)
    assert loss == 200.0
    assert chain.n_rows == [200]
    for row in chain.weights(0).values():
        assert row == pytest.approx([-2 * 200 / (400 * 4), 2 * 200 / (400 * 4)])


def test_passive_aggressive_survives_a_change_that_cancels():
    # Gold 0 1, found 1 0, the same observation: no weight can tell them apart.
    chain = small.make_chain(ONE_FEATURE)
    sentence = np.ones((2, 2), dtype=np.uint64)
    for _ in range(20):
        loss, _ = learn_one(chain, sentence, np.array([0, 1], np.int32), FREE_RULE)
        assert loss == pytest.approx(2.0)
    assert all(np.isfinite(row).all() for row in small.read_weights(chain).values())
