"""Steps against their twins: AdaGrad, and penalties that rows make up for when they are
next read.

What is late is exact for L1, in the weights: shrinking twice is shrinking once by the
sum. L2 takes one step w / (1 + l2 D) for the whole time D, a bit less than
many small ones. Averages see a weight as it was when it was last read.
"""

import numpy as np
import pytest
from builders import chains as small
from reference.chain import difference, hamming, path_features, search_both
from reference.side_by_side import SHAPES, learn_one, random_corpus
from reference.steps import Stepper

from spacy_latperc.kernels.chains import Rule

NEAR = 1e-4
MARGIN = 0.375
PENALTIES = [{"l1": 0.05}, {"l2": 0.3}, {"l1": 0.05, "l2": 0.2}]


def perceptron_wishes(shape, hashes, gold, weights):
    """+1 for the gold path, -1 for the one that is found."""
    inside, free = search_both(shape, hashes, gold, weights, MARGIN)
    if not hamming(shape, gold, free):
        return {}
    paths = (path_features(shape, hashes, path) for path in (inside, free))
    return dict(difference(*paths))


def start_both(shape, corpus, rng, *, step="plain", lazy=True, **penalties):
    """A chain and its twin, with the same weights: random ones keep ties away."""
    sentences = [x for x, _ in corpus]
    share = {"steps": 1 << 16, "grain": 2**-16, "share": 0.9}
    start = small.random_weights(rng, shape, sentences, **share)
    size = len(corpus)
    chain = small.make_chain(shape, start, step=step, epoch_size=size, **penalties)
    how = {"adagrad": step == "adagrad", "lazy": lazy, **penalties}
    own = {name: row.copy() for name, row in start.items()}
    twin = Stepper(shape, perceptron_wishes, size, weights=own, **how)
    return chain, twin


def learn_both(chain, twin, corpus, *, passes=3):
    for number in range(passes):
        rate = 0.5 / (1 + number)
        for sentence, gold in corpus:
            learn_one(chain, sentence, gold, Rule.perceptron(MARGIN), rate=rate)
            twin.learn(small.hashes_of(sentence), gold.tolist(), rate)


@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_steps_adagrad_equals_twin(order, latent, form):
    rng = np.random.default_rng(43)
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    corpus = random_corpus(rng, 2, sentences=7)
    chain, twin = start_both(shape, corpus, rng, step="adagrad")
    learn_both(chain, twin, corpus)
    small.assert_same_weights(small.read_weights(chain), twin.weights, within=NEAR)
    averaged = small.read_weights(chain, average=True)
    small.assert_same_weights(averaged, twin.average(), within=NEAR)


@pytest.mark.parametrize("step", ["plain", "adagrad"])
@pytest.mark.parametrize("penalties", PENALTIES, ids="+".join)
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_steps_penalties_equal_twin(order, latent, form, penalties, step):
    rng = np.random.default_rng(47)
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    corpus = random_corpus(rng, 2, sentences=6, values=4)
    chain, twin = start_both(shape, corpus, rng, step=step, **penalties)
    learn_both(chain, twin, corpus, passes=2)
    averaged = small.read_weights(chain, average=True)
    expected = twin.average()
    twin.pay_all()  # at the end, after the last example: no change of the average
    small.assert_same_weights(averaged, expected, within=NEAR)
    small.assert_same_weights(small.read_weights(chain), twin.weights, within=NEAR)


@pytest.mark.parametrize("step", ["plain", "adagrad"])
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_steps_l1_made_up_for_late_is_exact(order, latent, form, step):
    rng = np.random.default_rng(53)
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    corpus = random_corpus(rng, 2, sentences=8, values=9)
    chain, twin = start_both(shape, corpus, rng, step=step, lazy=False, l1=0.2)
    learn_both(chain, twin, corpus, passes=2)
    small.assert_same_weights(small.read_weights(chain), twin.weights, within=NEAR)


def test_steps_l1_gives_exact_zeros():
    rng = np.random.default_rng(59)
    shape = small.make_shape("label", labels=2)
    corpus = random_corpus(rng, 2, sentences=8, values=9)
    chain, twin = start_both(shape, corpus, rng, lazy=False, l1=1.5)
    learn_both(chain, twin, corpus)
    cells = np.concatenate([row.ravel() for row in small.read_weights(chain).values()])
    assert (cells == 0.0).any()


@pytest.mark.parametrize("l2", [0.01, 0.1])
def test_steps_l2_made_up_for_late_is_near(l2):
    # 1 / (1 + x) for a product that lies between it and exp(-x): x^2 / 2 at most.
    rng = np.random.default_rng(61)
    shape = small.make_shape("label", labels=2)
    corpus = random_corpus(rng, 2, sentences=8, values=9)
    chain, twin = start_both(shape, corpus, rng, lazy=False, l2=l2)
    learn_both(chain, twin, corpus)
    scale = max(np.abs(row).max() for row in twin.weights.values())
    gap = small.largest_gap(small.read_weights(chain), twin.weights)
    assert 0 < gap <= (l2 * chain.clock) ** 2 / 2 * scale
