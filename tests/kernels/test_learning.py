"""Perceptrons against the twin, weight for weight; averages against their definition.

Steps are dyadic, so that raw weights agree exactly. Averages divide by the number of
examples: they are compared within rounding.
"""

import itertools
from collections import Counter

import numpy as np
import pytest
from reference import UNKNOWN, Learner, Shape, perceptron
from toy_chains import (
    BIAS,
    FIRST,
    FORMS,
    assert_same_weights,
    extract,
    freeze_weights,
    hashes_of,
    make_blocks,
    make_shape,
    make_space,
    make_structure,
    nonzero,
    random_sentence,
    random_weights,
    read_weights,
)

from spacy_latperc.kernels.chain import Chain, Rule

ROUNDING = 1e-5
SHAPES = [
    (order, latent, form)
    for order, latent, form in itertools.product(range(3), (1, 2), FORMS)
    if latent > 1 or form == "label"
]


def random_corpus(rng, labels, *, sentences, longest=4, values=2, unknown=0.0):
    """Sentences, and gold labels that no model can always get right."""
    corpus = []
    for _ in range(sentences):
        n = int(rng.integers(1, longest + 1))
        gold = rng.integers(0, labels, size=n)
        gold[rng.random(n) < unknown] = UNKNOWN
        corpus.append((random_sentence(rng, n, values=values), gold.astype(np.int32)))
    return corpus


def learn_one(chain, sentence, gold, rule, **how):
    return chain.update([extract(chain.space, [sentence])], gold, rule, shuffle=False)


def learn_side_by_side(shape, corpus, fast_rule, slow_rule, *, passes, **averaging):
    """One example at a time; weights are the same after each, averages at the end."""
    space = make_space()
    structure = make_structure(space, shape)
    chain = Chain(space, structure, **averaging)
    twin = Learner(shape, slow_rule, **averaging)
    for _ in range(passes):
        for sentence, gold in corpus:
            loss, impossible = learn_one(chain, sentence, gold, fast_rule)
            expected = twin.learn(hashes_of(sentence), gold.tolist())
            assert (loss, impossible) == (
                expected or 0.0,
                [0] if expected is None else [],
            )
            assert_same_weights(read_weights(chain), twin.weights, within=0.0)
    averaged = read_weights(chain, average=True)
    assert_same_weights(averaged, twin.average(), within=ROUNDING)
    return chain, twin


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_learning_perceptron_equals_twin(order, latent, form, seed):
    rng = np.random.default_rng(seed)
    shape = make_shape(form, labels=2 + (latent == 1), latent=latent, order=order)
    corpus = random_corpus(rng, shape.labels, sentences=8)
    chain, _ = learn_side_by_side(
        shape, corpus, Rule.perceptron(), perceptron(), passes=4
    )
    assert chain.examples == 4 * 8
    assert any(chain.n_rows)


@pytest.mark.parametrize("order", [1, 2])
def test_learning_perceptron_equals_twin_on_long_sentences(order):
    # So many weights change at once that their sum has to grow.
    rng = np.random.default_rng(5)
    shape = make_shape("label", labels=2, order=order)
    corpus = random_corpus(rng, 2, sentences=5, longest=13, values=9)
    assert max(len(gold) for _, gold in corpus) > 10
    learn_side_by_side(shape, corpus, Rule.perceptron(), perceptron(), passes=2)


@pytest.mark.parametrize("settings", [(0.5, 0.0), (1.0, 0.75), (0.25, 2.0)])
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_learning_rate_and_margin_equal_twin(order, latent, form, settings):
    rng = np.random.default_rng(7)
    shape = make_shape(form, labels=2, latent=latent, order=order)
    corpus = random_corpus(rng, shape.labels, sentences=6)
    rules = Rule.perceptron(*settings), perceptron(*settings)
    learn_side_by_side(shape, corpus, *rules, passes=3)


@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_learning_from_partly_known_labels_equals_twin(order, latent, form):
    rng = np.random.default_rng(11)
    shape = make_shape(form, labels=3 if latent == 1 else 2, latent=latent, order=order)
    corpus = random_corpus(rng, shape.labels, sentences=10, unknown=0.4)
    learn_side_by_side(shape, corpus, Rule.perceptron(), perceptron(), passes=3)


def test_learning_from_unknown_labels_changes_nothing():
    space = make_space()
    shape = make_shape("label", labels=2)
    chain = Chain(space, make_structure(space, shape))
    sentence = random_sentence(np.random.default_rng(1), 4)
    gold = np.full(4, UNKNOWN, dtype=np.int32)
    assert learn_one(chain, sentence, gold, Rule.perceptron(1.0, 3.0)) == (0.0, [])
    assert not any(chain.n_rows)


@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_learning_under_rules_equals_twin(order, latent, form):
    rng = np.random.default_rng(13)
    shape = Shape(
        2,
        latent,
        order,
        make_blocks(form, order),
        transitions=np.array([[True, True], [True, False]]),
        starts=np.array([True, False]),
        ends=np.array([False, True]),
    )
    corpus = random_corpus(rng, shape.labels, sentences=30)
    learn_side_by_side(shape, corpus, Rule.perceptron(), perceptron(), passes=1)


@pytest.mark.parametrize("rule", [Rule.perceptron(), Rule.passive_aggressive(0.5)])
@pytest.mark.parametrize("latent", [1, 2])
@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("gold", [[1, 0], [0, 1, 1], [0, 2], [1], [2]])
def test_learning_skips_sentences_that_no_path_fits(gold, order, latent, rule):
    # 0 begins, 1 does not follow itself, 2 does not end.
    shape = Shape(
        3,
        latent,
        order,
        make_blocks("tied", order),
        transitions=~np.diag([False, True, False]),
        starts=np.array([True, False, False]),
        ends=np.array([True, True, False]),
    )
    space = make_space()
    chain = Chain(space, make_structure(space, shape))
    rng = np.random.default_rng(17)
    sentences = [random_sentence(rng, n) for n in (2, len(gold), 1)]
    labels = np.array([0, 1, *gold, 0], dtype=np.int32)
    block = extract(space, sentences)
    _, impossible = chain.update([block], labels, rule, shuffle=False)
    assert impossible == [1]
    assert chain.examples == 3
    without = Chain(space, make_structure(space, shape))
    without.update(
        [extract(space, [sentences[0], sentences[2]])],
        np.array([0, 1, 0], dtype=np.int32),
        rule,
        shuffle=False,
    )
    assert_same_weights(read_weights(chain), read_weights(without), within=0.0)


# Averages -----------------------------------------------------------------------------


def test_learning_average_is_the_mean_of_the_weights_after_each_example():
    # By hand: a mistake at the first of four examples, of which two cost nothing more.
    space = make_space()
    shape = Shape(2, 1, 0, [(0, False, [FIRST])])
    chain = Chain(space, make_structure(space, shape))
    one, other = (np.full((1, 2), value, dtype=np.uint64) for value in (1, 2))
    for sentence, label in [(other, 0), (one, 1), (one, 1), (other, 0)]:
        learn_one(chain, sentence, np.array([label], dtype=np.int32), Rule.perceptron())
    (row,) = chain.weights(0).values()
    (averaged,) = chain.weights(0, average=True).values()
    assert row.tolist() == [-1.0, 1.0]
    assert averaged.tolist() == [-0.75, 0.75]


@pytest.mark.parametrize("restart_every", [1, 2, 3])
@pytest.mark.parametrize("pass_size", [3, 4])
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_learning_modified_average_equals_twin(
    order, latent, form, pass_size, restart_every
):
    # Averages are no dyadic numbers: random initial weights keep ties away instead.
    rng = np.random.default_rng(19 + order)
    shape = make_shape(form, labels=2, latent=latent, order=order)
    corpus = random_corpus(rng, shape.labels, sentences=pass_size)
    start = random_weights(
        rng, shape, [x for x, _ in corpus], steps=1 << 16, grain=2**-16, share=1.0
    )
    averaging = {"pass_size": pass_size, "restart_every": restart_every}
    space = make_space()
    structure = make_structure(space, shape)
    chain = Chain(space, structure, **averaging)
    chain.load(freeze_weights(structure, start), 0)
    twin = Learner(
        shape,
        perceptron(),
        {name: row.copy() for name, row in start.items()},
        **averaging,
    )
    for _ in range(7):
        for sentence, gold in corpus:
            loss, _ = learn_one(chain, sentence, gold, Rule.perceptron())
            assert loss == twin.learn(hashes_of(sentence), gold.tolist())
            assert_same_weights(read_weights(chain), twin.weights, within=ROUNDING)
            averaged = read_weights(chain, average=True)
            assert_same_weights(averaged, twin.average(), within=ROUNDING)


def test_learning_restart_by_hand_equals_modified_averaging():
    rng = np.random.default_rng(23)
    shape = make_shape("label", labels=3)
    corpus = random_corpus(rng, 3, sentences=4)
    found = []
    for averaging in ({"pass_size": 4, "restart_every": 2}, {}):
        space = make_space()
        chain = Chain(space, make_structure(space, shape), **averaging)
        for number in range(1, 6):
            if not averaging and number % 2 == 0:
                chain.restart_from_average()
            for sentence, gold in corpus:
                learn_one(chain, sentence, gold, Rule.perceptron())
        found.append(chain)
    for average in (False, True):
        one, other = (read_weights(chain, average=average) for chain in found)
        assert_same_weights(one, other, within=0.0)


def test_learning_pass_size_can_be_told_later():
    rng = np.random.default_rng(29)
    shape = make_shape("label", labels=3)
    corpus = random_corpus(rng, 3, sentences=4)
    found = []
    for told in (True, False):
        space = make_space()
        first = {"pass_size": 4} if told else {}
        chain = Chain(space, make_structure(space, shape), restart_every=2, **first)
        for _ in range(4):
            for sentence, gold in corpus:
                learn_one(chain, sentence, gold, Rule.perceptron())
            chain.pass_size = 4
        found.append(read_weights(chain, average=True))
    assert_same_weights(*found, within=0.0)


def test_learning_without_average_answers_with_the_weights_of_now():
    rng = np.random.default_rng(31)
    shape = make_shape("tied", labels=2, latent=2)
    space = make_space()
    chain = Chain(space, make_structure(space, shape), average=False)
    for sentence, gold in random_corpus(rng, 2, sentences=9):
        learn_one(chain, sentence, gold, Rule.perceptron())
    assert nonzero(read_weights(chain))
    assert_same_weights(
        read_weights(chain, average=True), read_weights(chain), within=0.0
    )


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_learning_live_answers_are_those_of_frozen_rows(order, latent, form, average):
    rng = np.random.default_rng(37)
    shape = make_shape(form, labels=3, latent=latent, order=order)
    space = make_space()
    chain = Chain(space, make_structure(space, shape, group_size=3), average=average)
    for sentence, gold in random_corpus(rng, 3, sentences=40, longest=9, values=3):
        learn_one(chain, sentence, gold, Rule.passive_aggressive(0.3))
        sentences = [random_sentence(rng, n, values=4) for n in (0, 1, 2, 12, 70)]
        ends = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
        block = space.extract(np.concatenate(sentences), ends, grow=False)
        frozen = chain.freeze().decode(space, np.concatenate(sentences), ends)
        assert chain.predict(block).tolist() == frozen.tolist()


# Rows ---------------------------------------------------------------------------------


def test_learning_gives_no_row_to_a_feature_that_cancels():
    # The same observation, gold 1 0, found 0 0: wrong once. Gold 0 1, found 1 0: the
    # state features cancel and only the transitions change.
    space = make_space()
    shape = Shape(2, 1, 1, [(0, False, [FIRST]), (1, False, [BIAS])])
    structure = make_structure(space, shape)
    (attrs,) = sentence = [np.ones((2, 2), dtype=np.uint64)]
    bias = hashes_of(attrs)[0][BIAS]
    chain = Chain(space, structure)
    chain.load(freeze_weights(structure, {(1, bias): np.array([[0, 0], [1, 0]])}), 0)
    chain.update(
        [extract(space, sentence)], np.array([0, 1], np.int32), Rule.perceptron()
    )
    assert chain.n_rows == [0, 1]
    assert chain.weights(1)[bias].tolist() == [[0, 1], [0, 0]]


def test_learning_counts_a_feature_as_often_as_it_is_seen():
    space = make_space()
    shape = Shape(2, 1, 0, [(0, False, [FIRST])])
    chain = Chain(space, make_structure(space, shape))
    gold = np.ones(3, dtype=np.int32)
    learn_one(chain, np.ones((3, 2), dtype=np.uint64), gold, Rule.perceptron())
    (row,) = chain.weights(0).values()
    assert row.tolist() == [-3.0, 3.0]


def test_learning_gives_rows_to_updated_features_only():
    rng = np.random.default_rng(41)
    shape = make_shape("label", labels=3, order=2)
    corpus = random_corpus(rng, 3, sentences=6)
    chain, twin = learn_side_by_side(
        shape, corpus, Rule.perceptron(), perceptron(), passes=2
    )
    for b, rows in enumerate(chain.n_rows):
        assert rows == sum(block == b for block, _ in twin.weights)


@pytest.mark.parametrize("min_count", [2, 3])
def test_learning_leaves_out_rare_features(min_count):
    rng = np.random.default_rng(43)
    shape = make_shape("tied", labels=2, latent=2, order=1)
    corpus = random_corpus(rng, 2, sentences=6, values=4)
    space = make_space(min_count=min_count)
    counts = Counter()
    for sentence, _ in corpus:
        extract(space, [sentence], count=True)
        counts.update(key for row in hashes_of(sentence) for key in row)
    chain = Chain(space, make_structure(space, shape))
    twin = Learner(shape, perceptron(), counts=counts, min_count=min_count)
    for sentence, gold in corpus * 4:
        learn_one(chain, sentence, gold, Rule.perceptron())
        twin.learn(hashes_of(sentence), gold.tolist())
    assert_same_weights(read_weights(chain), twin.weights, within=0.0)
    rare = {key for key, count in counts.items() if count < min_count}
    assert rare
    assert rare.isdisjoint(key for b in range(4) for key in chain.weights(b))


# Batches and order --------------------------------------------------------------------


def test_learning_from_a_batch_equals_one_by_one():
    rng = np.random.default_rng(47)
    shape = make_shape("label", labels=3)
    corpus = random_corpus(rng, 3, sentences=9)
    empty = np.empty((0, 2), dtype=np.uint64)
    found = []
    for together in (True, False):
        space = make_space()
        chain = Chain(space, make_structure(space, shape))
        if together:
            parts = [corpus[:4], [(empty, np.empty(0, np.int32))], corpus[4:]]
            blocks = [extract(space, [x for x, _ in part]) for part in parts]
            gold = np.concatenate([y for _, y in corpus])
            chain.update(blocks, gold, Rule.perceptron(), shuffle=False)
        else:
            for sentence, gold in corpus:
                learn_one(chain, sentence, gold, Rule.perceptron())
        found.append(chain)
    assert [chain.examples for chain in found] == [9, 9]
    one, other = (read_weights(chain, average=True) for chain in found)
    assert_same_weights(one, other, within=0.0)


@pytest.mark.parametrize("seed", range(6))
def test_learning_shuffles_the_sentences_of_a_batch(seed):
    rng = np.random.default_rng(53)
    shape = make_shape("label", labels=3)
    corpus = random_corpus(rng, 3, sentences=4, values=3)
    space = make_space()
    chain = Chain(space, make_structure(space, shape), seed=seed)
    gold = np.concatenate([y for _, y in corpus])
    chain.update([extract(space, [x for x, _ in corpus])], gold, Rule.perceptron())
    found = nonzero(read_weights(chain))

    def one_by_one(order):
        twin = Learner(shape, perceptron())
        for sentence, labels in order:
            twin.learn(hashes_of(sentence), labels.tolist())
        return nonzero(twin.weights)

    def same(weights):
        return weights.keys() == found.keys() and all(
            (weights[name] == row).all() for name, row in found.items()
        )

    assert any(same(one_by_one(order)) for order in itertools.permutations(corpus))


def test_learning_sees_many_orders():
    shape = make_shape("label", labels=3)
    space = make_space()
    corpus = random_corpus(np.random.default_rng(59), 3, sentences=4, values=3)
    gold = np.concatenate([y for _, y in corpus])
    block = extract(space, [x for x, _ in corpus])
    seen = set()
    for seed in range(40):
        chain = Chain(space, make_structure(space, shape), seed=seed)
        chain.update([block], gold, Rule.perceptron())
        weights = sorted(nonzero(read_weights(chain)).items())
        seen.add(repr([(name, row.tolist()) for name, row in weights]))
    assert len(seen) > 5


def test_learning_random_state_says_how_the_order_goes_on():
    space = make_space()
    shape = make_shape("label", labels=3)
    corpus = random_corpus(np.random.default_rng(61), 3, sentences=9)
    gold = np.concatenate([y for _, y in corpus])
    block = extract(space, [x for x, _ in corpus])
    one, other = (Chain(space, make_structure(space, shape), seed=s) for s in (1, 2))
    other.random_state = one.random_state
    for chain in (one, other):
        chain.update([block], gold, Rule.perceptron())
    assert one.random_state == other.random_state
    assert_same_weights(read_weights(one), read_weights(other), within=0.0)


# Initial noise ------------------------------------------------------------------------


def noisy_chain(form, order, latent, *, noise=0.25, seed=1):
    space = make_space()
    shape = make_shape(form, labels=2, latent=latent, order=order)
    return Chain(space, make_structure(space, shape), noise=noise, seed=seed)


@pytest.mark.parametrize("form", ["full", "tied"])
@pytest.mark.parametrize("order", [1, 2])
def test_learning_noise_starts_on_latent_transitions_only(form, order):
    weights = read_weights(noisy_chain(form, order, 2))
    bias = hashes_of(np.ones((1, 2), np.uint64))[0][BIAS]
    assert {key for _, key in weights} == {bias}
    (row,) = weights.values()
    assert row.shape == (4, 4)
    assert len(np.unique(row)) == 16
    assert 0 < np.abs(row).max() < 0.25


def test_learning_noise_of_another_seed_is_other_noise():
    one, other = (read_weights(noisy_chain("full", 1, 2, seed=s)) for s in (1, 2))
    assert one.keys() == other.keys()
    assert all((row != other[name]).all() for name, row in one.items())


def test_learning_noise_is_not_for_plain_chains():
    assert not any(noisy_chain("label", 1, 1).n_rows)


def test_learning_noise_at_order_zero_comes_with_each_row():
    # No transition can tell the latent states of a label apart there.
    chain = noisy_chain("full", 0, 2, noise=2**-10)
    assert not any(chain.n_rows)
    gold = np.ones(1, dtype=np.int32)
    learn_one(chain, np.ones((1, 2), dtype=np.uint64), gold, Rule.perceptron())
    for row in chain.weights(0).values():
        assert len(np.unique(row)) == 4
        assert np.abs(row - np.round(row)).max() < 2**-10


# What is refused ----------------------------------------------------------------------


@pytest.mark.parametrize("gold", [[0, 3, 1], [0, -2, 1]])
def test_learning_refuses_labels_that_are_not_there(gold):
    space = make_space()
    chain = Chain(space, make_structure(space, make_shape("label", labels=3)))
    with pytest.raises(IndexError):
        learn_one(
            chain,
            np.ones((3, 2), np.uint64),
            np.array(gold, np.int32),
            Rule.perceptron(),
        )


@pytest.mark.parametrize("n", [0, 2, 4])
def test_learning_refuses_labels_of_another_length(n):
    space = make_space()
    chain = Chain(space, make_structure(space, make_shape("label", labels=3)))
    with pytest.raises(ValueError):
        learn_one(
            chain, np.ones((3, 2), np.uint64), np.zeros(n, np.int32), Rule.perceptron()
        )
    assert chain.examples == 0


def test_learning_refuses_features_of_a_cleared_index():
    space = make_space()
    chain = Chain(space, make_structure(space, make_shape("label", labels=3)))
    sentence = random_sentence(np.random.default_rng(67), 4, values=9)
    stale = extract(space, [sentence])
    space.clear()
    with pytest.raises((ValueError, IndexError)):
        chain.update([stale], np.ones(4, dtype=np.int32), Rule.perceptron())


def test_learning_from_nothing_changes_nothing():
    space = make_space()
    chain = Chain(space, make_structure(space, make_shape("label", labels=3)))
    nothing = np.empty(0, dtype=np.int32)
    assert chain.update([], nothing, Rule.perceptron()) == (0.0, [])
    assert chain.examples == 0
