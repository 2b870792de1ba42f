"""Perceptrons against the twin, weight for weight, and what they refuse to learn.

Steps are dyadic, so that raw weights agree exactly.
"""

import numpy as np
import pytest
from builders import chains as small
from reference.chain import UNKNOWN, Shape, perceptron
from reference.side_by_side import SHAPES, learn_one, learn_side_by_side, random_corpus

from spacy_latperc.kernels.chains import Chain, Rule


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_learning_perceptron_equals_twin(order, latent, form, seed, listed):
    rng = np.random.default_rng(seed)
    shape = small.make_shape(form, labels=2 + (latent == 1), latent=latent, order=order)
    corpus = random_corpus(rng, shape.labels, sentences=8, listed=listed)
    rules = Rule.perceptron(), perceptron()
    chain, _ = learn_side_by_side(shape, corpus, *rules, passes=4)
    assert chain.examples == 4 * 8
    assert any(chain.n_rows)


@pytest.mark.parametrize("order", [1, 2])
def test_learning_perceptron_equals_twin_on_long_sentences(order):
    # So many weights change at once that their sum has to grow.
    rng = np.random.default_rng(5)
    shape = small.make_shape("label", labels=2, order=order)
    corpus = random_corpus(rng, 2, sentences=5, longest=13, values=9)
    assert max(len(gold) for _, gold in corpus) > 10
    learn_side_by_side(shape, corpus, Rule.perceptron(), perceptron(), passes=2)


@pytest.mark.parametrize("settings", [(0.5, 0.0), (1.0, 0.75), (0.25, 2.0)])
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_learning_rate_and_margin_equal_twin(order, latent, form, settings):
    rng = np.random.default_rng(7)
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    corpus = random_corpus(rng, shape.labels, sentences=6)
    rate, margin = settings
    rules = Rule.perceptron(margin), perceptron(rate, margin)
    learn_side_by_side(shape, corpus, *rules, passes=3, rate=rate)


@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_learning_from_partly_known_labels_equals_twin(order, latent, form):
    rng = np.random.default_rng(11)
    shape = small.make_shape(
        form, labels=3 if latent == 1 else 2, latent=latent, order=order
    )
    corpus = random_corpus(rng, shape.labels, sentences=10, unknown=0.4)
    learn_side_by_side(shape, corpus, Rule.perceptron(), perceptron(), passes=3)


def test_learning_from_unknown_labels_or_nothing_changes_nothing():
    chain = small.make_chain(small.make_shape("label", labels=2))
    sentence = small.random_sentence(np.random.default_rng(1), 4)
    gold = np.full(4, UNKNOWN, dtype=np.int32)
    assert learn_one(chain, sentence, gold, Rule.perceptron(3.0)) == (0.0, [])
    assert chain.examples == 1
    assert chain.update([], gold[:0], Rule.perceptron()) == (0.0, [])
    assert chain.examples == 1
    assert not any(chain.n_rows)


@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_learning_under_rules_equals_twin(order, latent, form):
    rng = np.random.default_rng(13)
    rules = {
        "transitions": np.array([[True, True], [True, False]]),
        "starts": np.array([True, False]),
        "ends": np.array([False, True]),
    }
    shape = Shape(2, latent, order, small.make_blocks(form, order), **rules)
    corpus = random_corpus(rng, shape.labels, sentences=30)
    learn_side_by_side(shape, corpus, Rule.perceptron(), perceptron(), passes=1)


@pytest.mark.parametrize("rule", [Rule.perceptron(), Rule.passive_aggressive(0.5)])
@pytest.mark.parametrize("latent", [1, 2])
@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("gold", [[1, 0], [0, 1, 1], [0, 2], [1], [2]])
def test_learning_skips_sentences_that_no_path_fits(gold, order, latent, rule):
    # 0 begins, 1 does not follow itself, 2 does not end.
    rules = {
        "transitions": ~np.diag([False, True, False]),
        "starts": np.array([True, False, False]),
        "ends": np.array([True, True, False]),
    }
    shape = Shape(3, latent, order, small.make_blocks("tied", order), **rules)
    chain = small.make_chain(shape)
    rng = np.random.default_rng(17)
    sentences = [small.random_sentence(rng, n) for n in (2, len(gold), 1)]
    labels = np.array([0, 1, *gold, 0], dtype=np.int32)
    block = small.extract(chain.space, sentences)
    _, impossible = chain.update([block], labels, rule, shuffled=False)
    assert impossible == [1]
    assert chain.examples == 3
    without = Chain(chain.space, small.make_structure(chain.space, shape))
    block = small.extract(chain.space, [sentences[0], sentences[2]])
    without.update([block], labels[[0, 1, -1]], rule, shuffled=False)
    small.assert_same_weights(
        small.read_weights(chain), small.read_weights(without), within=0.0
    )


def test_learning_refuses_labels_and_features_that_are_not_there():
    chain = small.make_chain(small.make_shape("label", labels=3))
    sentence = np.ones((3, 2), np.uint64)
    for gold in ([0, 3, 1], [0, -2, 1]):
        with pytest.raises(IndexError):
            learn_one(chain, sentence, np.array(gold, np.int32), Rule.perceptron())
    examples = chain.examples
    for n in (0, 2, 4):
        with pytest.raises(ValueError):
            learn_one(chain, sentence, np.zeros(n, np.int32), Rule.perceptron())
    assert chain.examples == examples
    stale = small.extract(chain.space, [sentence])
    chain.space.clear()
    with pytest.raises((ValueError, IndexError)):
        chain.update([stale], np.ones(3, dtype=np.int32), Rule.perceptron())
