"""The step of the CRF against sums over all paths, and its gradient against slopes.

With latent values the same rule is the DPLVM; unknown tokens and label sets are summed
over as well.
"""

import numpy as np
import pytest
from builders import chains as small
from reference import chain as twin
from reference.side_by_side import SHAPES, learn_one, random_corpus

from spacy_latperc.kernels.chains import Rule

RATE = 2**-6


def expectations(shape, hashes, weights, allowed=None):
    """Expected features under exp(score), and the log of the sum, path by path."""
    scores = twin.path_scores(shape, hashes, weights, allowed=allowed)
    total = np.logaddexp.reduce(scores.reshape(-1))
    expected = {}
    for path in np.argwhere(np.isfinite(scores)):
        p = np.exp(scores[tuple(path)] - total)
        found = twin.path_features(shape, hashes, tuple(path.tolist()))
        for name, count in found.items():
            expected[name] = expected.get(name, 0.0) + p * count
    return expected, total


def trained(shape, *, seed, unknown=0.0, listed=False, **settings):
    """A chain with some weights, and a corpus."""
    rng = np.random.default_rng(seed)
    how = {"unknown": unknown, "listed": listed}
    corpus = random_corpus(rng, shape.labels, sentences=5, **how)
    # Elsewhere every new row begins with noise.
    noise = 0.1 if shape.order and shape.latent > 1 else 0.0
    chain = small.make_chain(shape, noise=noise, seed=3, **settings)
    for sentence, gold in corpus:
        learn_one(chain, sentence, gold, Rule.perceptron(), rate=0.25)
    return chain, corpus


def cells(weights):
    return {
        (b, key, cell): float(row[cell])
        for (b, key), row in weights.items()
        for cell in np.ndindex(row.shape)
        if row[cell]
    }


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("unknown", [0.0, 0.5])
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_crf_step_is_the_difference_of_expectations(
    order, latent, form, unknown, listed
):
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    chain, corpus = trained(shape, seed=order, unknown=unknown, listed=listed)
    for sentence, gold in corpus:
        before = small.read_weights(chain)
        hashes = small.hashes_of(sentence)
        mask = twin.gold_mask(shape, gold.tolist())
        inside, log_inside = expectations(shape, hashes, before, mask)
        free, log_all = expectations(shape, hashes, before)
        loss, impossible = learn_one(chain, sentence, gold, Rule.crf(), rate=RATE)
        assert impossible == []
        assert loss == pytest.approx(max(log_all - log_inside, 0.0), abs=1e-4)
        found, old = cells(small.read_weights(chain)), cells(before)
        for name in inside.keys() | free.keys() | found.keys():
            change = found.get(name, 0.0) - old.get(name, 0.0)
            wanted = RATE * (inside.get(name, 0.0) - free.get(name, 0.0))
            assert change == pytest.approx(wanted, abs=2e-6)


def test_crf_label_set_is_summed_over():
    shape = small.make_shape("label", labels=3)
    chain, corpus = trained(shape, seed=5)
    sentence = corpus[0][0]
    n = len(sentence)
    sets = np.array([[1, 0, 1]], dtype=np.uint8)
    gold = np.full(n, -2, dtype=np.int32)
    before = small.read_weights(chain)
    mask = np.repeat(sets, n, axis=0)
    _, log_inside = expectations(shape, small.hashes_of(sentence), before, mask)
    _, log_all = expectations(shape, small.hashes_of(sentence), before)
    loss, _ = learn_one(chain, sentence, gold, Rule.crf(), sets=sets)
    assert loss == pytest.approx(log_all - log_inside, abs=1e-4)


def test_crf_gradient_equals_finite_differences():
    shape = small.make_shape("tied", labels=2, latent=2, order=1)
    chain, corpus = trained(shape, seed=9, unknown=0.3)
    sentence, gold = corpus[1]
    hashes = small.hashes_of(sentence)
    weights = small.read_weights(chain)
    mask = twin.gold_mask(shape, gold.tolist())

    def log_probability():
        inside = twin.path_scores(shape, hashes, weights, allowed=mask).reshape(-1)
        free = twin.path_scores(shape, hashes, weights).reshape(-1)
        return np.logaddexp.reduce(inside) - np.logaddexp.reduce(free)

    learn_one(chain, sentence, gold, Rule.crf(), rate=RATE)
    after = small.read_weights(chain)
    for name, row in weights.items():
        for cell in np.ndindex(row.shape):
            here = row[cell]
            row[cell] = here + 1e-5
            above = log_probability()
            row[cell] = here - 1e-5
            slope = (above - log_probability()) / 2e-5
            row[cell] = here
            assert after[name][cell] - here == pytest.approx(RATE * slope, abs=5e-6)


def test_crf_impossible_gold_changes_nothing():
    shape = small.make_shape("label", labels=2)
    apart = np.array([[True, False], [True, True]])
    chain = small.make_chain(twin.Shape(2, 1, 1, shape.blocks, transitions=apart))
    sentence = np.ones((2, 2), dtype=np.uint64)
    gold = np.array([0, 1], dtype=np.int32)
    assert learn_one(chain, sentence, gold, Rule.crf()) == (0.0, [0])
    assert small.read_weights(chain) == {}


def test_crf_stops_when_scores_are_not_finite():
    shape = small.make_shape("label", labels=2)
    chain, corpus = trained(shape, seed=1)
    sentence, gold = corpus[0]
    with pytest.raises(FloatingPointError):
        for _ in range(300):
            learn_one(chain, sentence, gold, Rule.crf(), rate=1e38)
    assert all(np.isfinite(row).all() for row in small.read_weights(chain).values())


@pytest.mark.parametrize("step", ["plain", "adagrad"])
def test_crf_likelihood_rises(step):
    shape = small.make_shape("label", labels=3)
    chain, corpus = trained(shape, seed=2, step=step)
    losses = [
        sum(learn_one(chain, x, gold, Rule.crf(), rate=0.1)[0] for x, gold in corpus)
        for _ in range(8)
    ]
    assert losses[-1] < 0.7 * losses[0]


def test_crf_l1_makes_weights_exactly_zero():
    shape = small.make_shape("label", labels=2)
    sizes = []
    for l1 in (0.0, 0.5, 50.0):
        chain, corpus = trained(shape, seed=4, epoch_size=5, l1=l1)
        for _ in range(20):
            for sentence, gold in corpus:
                learn_one(chain, sentence, gold, Rule.crf(), rate=0.1)
        sizes.append(len(cells(small.read_weights(chain))))
    assert sizes[0] > sizes[1] > sizes[2]
