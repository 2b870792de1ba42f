"""The rows of features: from which sentences, in what order, with what noise."""

import itertools
from collections import Counter

import numpy as np
import pytest
from builders import chains as small
from reference.chain import Learner, Shape, perceptron
from reference.side_by_side import learn_one, learn_side_by_side, random_corpus

from spacy_latperc.kernels.chains import Chain, Rule


def test_rows_gives_no_row_to_a_feature_that_cancels():
    # The same observation, gold 1 0, found 0 0: wrong once. Gold 0 1, found 1 0: the
    # state features cancel and only the transitions change.
    space = small.make_space()
    shape = Shape(2, 1, 1, [(0, False, [small.FIRST]), (1, False, [small.BIAS])])
    structure = small.make_structure(space, shape)
    (attrs,) = sentence = [np.ones((2, 2), dtype=np.uint64)]
    bias = small.hashes_of(attrs)[0][small.BIAS]
    chain = Chain(space, structure)
    start = small.freeze_weights(structure, {(1, bias): np.array([[0, 0], [1, 0]])})
    chain.load(start, 0)
    block, gold = small.extract(space, sentence), np.array([0, 1], np.int32)
    chain.update([block], gold, Rule.perceptron())
    assert chain.n_rows == [0, 1]
    assert chain.weights(1)[bias].tolist() == [[0, 1], [0, 0]]


def test_rows_are_given_to_updated_features_only():
    rng = np.random.default_rng(41)
    shape = small.make_shape("label", labels=3, order=2)
    corpus = random_corpus(rng, 3, sentences=6)
    rules = Rule.perceptron(), perceptron()
    chain, twin = learn_side_by_side(shape, corpus, *rules, passes=2)
    for b, rows in enumerate(chain.n_rows):
        assert rows == sum(block == b for block, _ in twin.weights)


@pytest.mark.parametrize("min_count", [2, 3])
def test_rows_leaves_out_rare_features(min_count):
    rng = np.random.default_rng(43)
    shape = small.make_shape("tied", labels=2, latent=2, order=1)
    corpus = random_corpus(rng, 2, sentences=6, values=4)
    space = small.make_space(min_count=min_count)
    counts = Counter()
    for sentence, _ in corpus:
        small.extract(space, [sentence], count=True)
        counts.update(key for row in small.hashes_of(sentence) for key in row)
    chain = Chain(space, small.make_structure(space, shape))
    twin = Learner(shape, perceptron(), counts=counts, min_count=min_count)
    for sentence, gold in corpus * 4:
        learn_one(chain, sentence, gold, Rule.perceptron())
        twin.learn(small.hashes_of(sentence), gold.tolist())
    small.assert_same_weights(small.read_weights(chain), twin.weights, within=0.0)
    rare = {key for key, count in counts.items() if count < min_count}
    assert rare
    assert rare.isdisjoint(key for b in range(4) for key in chain.weights(b))


def test_rows_from_a_batch_equals_one_by_one():
    rng = np.random.default_rng(47)
    shape = small.make_shape("label", labels=3)
    corpus = random_corpus(rng, 3, sentences=9)
    empty = np.empty((0, 2), dtype=np.uint64)
    found = []
    for together in (True, False):
        chain = small.make_chain(shape)
        if together:
            parts = [corpus[:4], [(empty, np.empty(0, np.int32))], corpus[4:]]
            blocks = [small.extract(chain.space, [x for x, _ in p]) for p in parts]
            gold = np.concatenate([y for _, y in corpus])
            chain.update(blocks, gold, Rule.perceptron(), shuffled=False)
        else:
            for sentence, gold in corpus:
                learn_one(chain, sentence, gold, Rule.perceptron())
        found.append(chain)
    assert [chain.examples for chain in found] == [9, 9]
    one, other = (small.read_weights(chain, average=True) for chain in found)
    small.assert_same_weights(one, other, within=0.0)


@pytest.mark.parametrize("seed", range(6))
def test_rows_shuffles_the_sentences_of_a_batch(seed):
    rng = np.random.default_rng(53)
    shape = small.make_shape("label", labels=3)
    corpus = random_corpus(rng, 3, sentences=4, values=3)
    chain = small.make_chain(shape, seed=seed)
    gold = np.concatenate([y for _, y in corpus])
    block = small.extract(chain.space, [x for x, _ in corpus])
    chain.update([block], gold, Rule.perceptron())
    found = small.nonzero(small.read_weights(chain))

    def one_by_one(order):
        twin = Learner(shape, perceptron())
        for sentence, labels in order:
            twin.learn(small.hashes_of(sentence), labels.tolist())
        return small.nonzero(twin.weights)

    def same(weights):
        return weights.keys() == found.keys() and all(
            (weights[name] == row).all() for name, row in found.items()
        )

    assert any(same(one_by_one(order)) for order in itertools.permutations(corpus))


def test_rows_are_learned_in_many_orders_and_the_random_state_says_which():
    shape, space = small.make_shape("label", labels=3), small.make_space()
    structure = small.make_structure(space, shape)
    corpus = random_corpus(np.random.default_rng(59), 3, sentences=4, values=3)
    gold = np.concatenate([y for _, y in corpus])
    block = small.extract(space, [x for x, _ in corpus])

    def learned(seed, random_state=None):
        chain = Chain(space, structure, seed=seed)
        if random_state is not None:
            chain.random_state = random_state
        chain.update([block], gold, Rule.perceptron())
        weights = sorted(small.nonzero(small.read_weights(chain)).items())
        return repr([(name, row.tolist()) for name, row in weights]), chain.random_state

    assert len({learned(seed)[0] for seed in range(40)}) > 5
    state = Chain(space, structure, seed=1).random_state
    assert learned(2, state) == learned(1)


def noisy_chain(form, order, latent, *, noise=0.25, seed=1):
    space = small.make_space()
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    return Chain(space, small.make_structure(space, shape), noise=noise, seed=seed)


@pytest.mark.parametrize("form", ["full", "tied"])
@pytest.mark.parametrize("order", [1, 2])
def test_rows_noise_starts_on_latent_transitions_only(form, order):
    weights = small.read_weights(noisy_chain(form, order, 2))
    bias = small.hashes_of(np.ones((1, 2), np.uint64))[0][small.BIAS]
    assert {key for _, key in weights} == {bias}
    (row,) = weights.values()
    assert row.shape == (4, 4)
    assert len(np.unique(row)) == 16
    assert 0 < np.abs(row).max() < 0.25
    one, other = (small.read_weights(noisy_chain("full", 1, 2, seed=s)) for s in (1, 2))
    assert one.keys() == other.keys()
    assert all((row != other[name]).all() for name, row in one.items())
    assert not any(noisy_chain("label", 1, 1).n_rows)


def test_rows_noise_at_order_zero_comes_with_each_row():
    # No transition can tell the latent states of a label apart there.
    chain = noisy_chain("full", 0, 2, noise=2**-10)
    assert not any(chain.n_rows)
    gold = np.ones(1, dtype=np.int32)
    learn_one(chain, np.ones((1, 2), dtype=np.uint64), gold, Rule.perceptron())
    for row in chain.weights(0).values():
        assert len(np.unique(row)) == 4
        assert np.abs(row - np.round(row)).max() < 2**-10
