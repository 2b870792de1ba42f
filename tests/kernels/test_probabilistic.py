"""The probabilistic perceptron against its twin, and at its limits: the perceptron for
n = 1, the gradient of a conditional random field when the list holds all paths."""

import numpy as np
import pytest
from builders import chains as small
from reference.chain import (
    UNKNOWN,
    Shape,
    difference,
    path_features,
    path_scores,
    perceptron,
    score,
    search_both,
)
from reference.rules import Probabilistic, add_cells, best_paths
from reference.side_by_side import (
    SHAPES,
    learn_one,
    learn_side_by_side,
    random_corpus,
    start_chain,
)
from reference.steps import Stepper

from spacy_latperc.kernels.chains import Rule

NEAR = 1e-4


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize(
    "settings", [(1,), (3,), (3, 0.0, False), (4, 1.0), (4, 3.0, False)]
)
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_probabilistic_equals_twin(order, latent, form, settings, listed):
    rng = np.random.default_rng(73)
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    corpus = random_corpus(rng, 2, sentences=6, unknown=0.2, listed=listed)
    chain = start_chain(shape, corpus, rng)
    weights = small.read_weights(chain)
    twin = Probabilistic(*settings)
    for sentence, gold in corpus * 2:
        rule = Rule.probabilistic(*settings)
        loss, impossible = learn_one(chain, sentence, gold, rule, rate=0.5)
        expected, cells = twin.step(
            shape, small.hashes_of(sentence), gold.tolist(), weights
        )
        halves = {cell: 0.5 * value for cell, value in cells.items()}
        weights = add_cells(shape, weights, halves)
        assert impossible == []
        assert loss == pytest.approx(expected, abs=NEAR)
        small.assert_same_weights(small.read_weights(chain), weights, within=NEAR)


@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_probabilistic_with_adagrad_equals_twin(order, latent, form):
    rng = np.random.default_rng(79)
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    corpus = random_corpus(rng, 2, sentences=6)
    chain = start_chain(shape, corpus, rng, step="adagrad")
    start = small.read_weights(chain)
    twin = Stepper(shape, Probabilistic(3), 6, adagrad=True, weights=start)
    for sentence, gold in corpus * 2:
        learn_one(chain, sentence, gold, Rule.probabilistic(3), rate=0.25)
        twin.learn(small.hashes_of(sentence), gold.tolist(), 0.25)
    # Changes of almost nothing have length 1 too: what rounds away is seen at once.
    small.assert_same_weights(small.read_weights(chain), twin.weights, within=1e-2)


@pytest.mark.parametrize("unknown", [0.0, 0.4])
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_probabilistic_with_one_path_and_no_gold_is_the_perceptron(
    order, latent, form, unknown
):
    rng = np.random.default_rng(83)
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    corpus = random_corpus(rng, 2, sentences=8, unknown=unknown)
    rule = Rule.probabilistic(1, add_gold=False)
    learn_side_by_side(shape, corpus, rule, perceptron(), passes=3)


@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_probabilistic_with_one_path_and_gold_scales_the_step(order, latent, form):
    # Line 5 makes two of one: P_1 = 1 / (1 + exp(s* - s_1)).
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        ((sentence, gold),) = random_corpus(rng, 2, sentences=1)
        chain = start_chain(shape, [(sentence, gold)], rng)
        before = small.read_weights(chain)
        hashes = small.hashes_of(sentence)
        paths = search_both(shape, hashes, gold.tolist(), before, 0.0)
        inside, free = (path_features(shape, hashes, path) for path in paths)
        loss, _ = learn_one(chain, sentence, gold, Rule.probabilistic(1))
        if not loss:
            small.assert_same_weights(small.read_weights(chain), before, within=0.0)
            continue
        p = 1 / (1 + np.exp(score(before, inside) - score(before, free)))
        assert p >= 0.5
        step = {cell: p * count for cell, count in difference(inside, free).items()}
        after = add_cells(shape, before, step)
        small.assert_same_weights(small.read_weights(chain), after, within=NEAR)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_probabilistic_over_all_paths_is_the_gradient_of_a_random_field(order):
    rng = np.random.default_rng(89)
    shape = small.make_shape("label", labels=2, order=order)
    sentence = small.random_sentence(rng, 3)
    gold = np.array([0, 1, 1], np.int32)
    chain = start_chain(shape, [(sentence, gold)], rng)
    before = small.read_weights(chain)
    hashes = small.hashes_of(sentence)
    scores = path_scores(shape, hashes, before)
    p = np.exp(scores - scores.max())
    p /= p.sum()
    gradient = dict(path_features(shape, hashes, tuple(gold.tolist())))
    for path in np.ndindex(scores.shape):
        for cell, count in path_features(shape, hashes, path).items():
            gradient[cell] = gradient.get(cell, 0.0) - p[path] * count
    learn_one(chain, sentence, gold, Rule.probabilistic(8))
    after = add_cells(shape, before, gradient)
    small.assert_same_weights(small.read_weights(chain), after, within=NEAR)


def test_probabilistic_polynomial_of_high_degree_is_log_linear():
    found = []
    for degree in (0.0, 1e6):
        rng = np.random.default_rng(97)
        shape = small.make_shape("label", labels=2)
        sentence = small.random_sentence(rng, 4)
        gold = np.array([1, 0, 1, 1], np.int32)
        chain = start_chain(shape, [(sentence, gold)], rng)
        learn_one(chain, sentence, gold, Rule.probabilistic(5, degree))
        found.append(small.read_weights(chain))
    assert small.largest_gap(*found) < 1e-3


def one_step(scores, degree):
    """A token of two labels with these scores, the gold of which is the second."""
    shape = Shape(2, 1, 0, [(0, False, [small.FIRST])])
    sentence = np.ones((1, 2), np.uint64)
    key = small.hashes_of(sentence)[0][small.FIRST]
    chain = small.make_chain(shape, {(0, key): np.array(scores)})
    gold = np.array([1], np.int32)
    loss, _ = learn_one(chain, sentence, gold, Rule.probabilistic(2, degree))
    return loss, chain.weights(0)[key].tolist()


@pytest.mark.parametrize("size", [1e4, 1e18])
def test_probabilistic_forms_by_hand_and_of_large_scores(size):
    # Scores 2 and 0, gold the lower one: P = 3/4 and 1/4.
    assert one_step([2.0, 0.0], 1.0) == (0.75, [1.25, 0.75])
    for degree in (0.0, 1.0, 7.0):  # which do not overflow
        assert one_step([size, -size], degree)[0] == pytest.approx(1.0, abs=1e-3)
    assert one_step([size, -size], degree)[0] == pytest.approx(1.0, abs=1e-3)


def test_probabilistic_takes_unknown_labels_and_a_list_shorter_than_n():
    rng = np.random.default_rng(101)
    shape = small.make_shape("label", labels=2)
    sentence = small.random_sentence(rng, 4)
    gold = np.full(4, UNKNOWN, dtype=np.int32)
    chain = start_chain(shape, [(sentence, gold)], rng)
    before = small.read_weights(chain)
    assert learn_one(chain, sentence, gold, Rule.probabilistic(4)) == (0.0, [])
    small.assert_same_weights(small.read_weights(chain), before, within=0.0)
    scores = path_scores(shape, small.hashes_of(sentence[:1]), before)
    assert len(best_paths(shape, scores, 9)) == 2
    gold = np.array([1], np.int32)
    assert learn_one(chain, sentence[:1], gold, Rule.probabilistic(9))[1] == []
