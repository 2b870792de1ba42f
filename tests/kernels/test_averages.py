"""Averages and modified averages against their definitions.

They divide by the number of examples, and are compared within rounding.
"""

import numpy as np
import pytest
from builders import chains as small
from reference.chain import Learner, perceptron
from reference.side_by_side import ROUNDING, SHAPES, learn_one, random_corpus

from spacy_latperc.kernels.chains import Question, Rule


@pytest.mark.parametrize("restart_every", [1, 2, 3])
@pytest.mark.parametrize("epoch_size", [3, 4])
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_averages_modified_average_equals_twin(
    order, latent, form, epoch_size, restart_every
):
    # Averages are no dyadic numbers: random initial weights keep ties away instead.
    rng = np.random.default_rng(19 + order)
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    corpus = random_corpus(rng, shape.labels, sentences=epoch_size)
    start = small.dense_weights(rng, shape, [x for x, _ in corpus])
    averaging = {"epoch_size": epoch_size, "restart_every": restart_every}
    chain = small.make_chain(shape, start, **averaging)
    own = {name: row.copy() for name, row in start.items()}
    twin = Learner(shape, perceptron(), own, **averaging)
    for _ in range(7):
        for sentence, gold in corpus:
            loss, _ = learn_one(chain, sentence, gold, Rule.perceptron())
            assert loss == twin.learn(small.hashes_of(sentence), gold.tolist())
            for average, expected in ((False, twin.weights), (True, twin.average())):
                found = small.read_weights(chain, average=average)
                small.assert_same_weights(found, expected, within=ROUNDING)


def test_averages_restart_by_hand_equals_modified_averaging():
    rng = np.random.default_rng(23)
    shape = small.make_shape("label", labels=3)
    corpus = random_corpus(rng, 3, sentences=4)
    found = []
    for averaging in ({"epoch_size": 4, "restart_every": 2}, {}):
        chain = small.make_chain(shape, **averaging)
        for number in range(1, 6):
            if not averaging and number % 2 == 0:
                chain.restart_from_average()
            for sentence, gold in corpus:
                learn_one(chain, sentence, gold, Rule.perceptron())
        found.append(chain)
    for average in (False, True):
        one, other = (small.read_weights(chain, average=average) for chain in found)
        small.assert_same_weights(one, other, within=0.0)


def test_averages_epoch_size_can_be_told_later():
    rng = np.random.default_rng(29)
    shape = small.make_shape("label", labels=3)
    corpus = random_corpus(rng, 3, sentences=4)
    found = []
    for told in (True, False):
        first = {"epoch_size": 4} if told else {}
        chain = small.make_chain(shape, restart_every=2, **first)
        for _ in range(4):
            for sentence, gold in corpus:
                learn_one(chain, sentence, gold, Rule.perceptron())
            chain.epoch_size = 4
        found.append(small.read_weights(chain, average=True))
    small.assert_same_weights(*found, within=0.0)


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_averages_live_answers_are_those_of_frozen_rows(order, latent, form, average):
    rng = np.random.default_rng(37)
    shape = small.make_shape(form, labels=3, latent=latent, order=order)
    chain = small.make_chain(shape, group_size=3, average=average)
    for sentence, gold in random_corpus(rng, 3, sentences=25, longest=9, values=3):
        learn_one(chain, sentence, gold, Rule.passive_aggressive(0.3))
        sentences = [small.random_sentence(rng, n, values=4) for n in (0, 1, 2, 12, 70)]
        ends = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
        block = chain.space.extract(np.concatenate(sentences), ends, grow=False)
        asked = Question(chain.space, np.concatenate(sentences), ends)
        frozen = chain.freeze().decode(asked)
        assert chain.predict(block).tolist() == frozen.tolist()
