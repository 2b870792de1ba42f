"""The perceptron with expected latent states, against sums over all paths."""

import numpy as np
import pytest
from builders import chains as small
from reference import chain as twin
from reference.side_by_side import SHAPES, learn_one, random_corpus, start_chain

from spacy_latperc.kernels.chains import Rule

LATENT = [shape for shape in SHAPES if shape[1] > 1]
NEAR = 2e-5


def expected_features(shape, hashes, weights, labels, temperature):
    """Under exp(score / temperature), over the paths of these labels."""
    mask = twin.gold_mask(shape, labels)
    scores = twin.path_scores(shape, hashes, weights, allowed=mask) / temperature
    shares = np.exp(scores - scores.max())
    found = {}
    for path in np.argwhere(shares > 0):
        share = shares[tuple(path)] / shares.sum()
        features = twin.path_features(shape, hashes, tuple(path.tolist()))
        for name, count in features.items():
            found[name] = found.get(name, 0.0) + share * count
    return found


def expected_perceptron(temperature, margin=0.0):
    """A perceptron like that of reference.chain, with expectations for paths."""

    def change(shape, hashes, gold, weights):
        paths = twin.search_both(shape, hashes, gold, weights, margin)
        wrong = twin.hamming(shape, gold, paths[1])
        if not wrong:
            return 0, {}
        up, down = (
            expected_features(
                shape, hashes, weights, shape.labels_of(path), temperature
            )
            for path in paths
        )
        names = up.keys() | down.keys()
        return wrong, {x: up.get(x, 0.0) - down.get(x, 0.0) for x in names}

    return change


def learn_and_compare(shape, corpus, rule, change, rng):
    """The weights before and after each step."""
    chain = start_chain(shape, corpus, rng)
    updates = 0
    for sentence, gold in corpus * 2:
        before = small.read_weights(chain)
        loss, impossible = learn_one(chain, sentence, gold, rule, rate=0.5)
        hashes = small.hashes_of(sentence)
        wanted_loss, wanted = change(shape, hashes, gold.tolist(), before)
        assert (loss, impossible) == (wanted_loss, [])
        after = small.read_weights(chain)
        for (b, key), row in after.items():
            old = before.get((b, key), np.zeros_like(row))
            for cell in np.ndindex(row.shape):
                step = 0.5 * wanted.get((b, key, cell), 0.0)
                assert row[cell] - old[cell] == pytest.approx(step, abs=NEAR)
        updates += loss > 0
    assert updates


@pytest.mark.parametrize(("temperature", "margin"), [(5.0, 0.0), (1.0, 1.0)])
@pytest.mark.parametrize("unknown", [0.0, 0.3])
@pytest.mark.parametrize(("order", "latent", "form"), LATENT)
def test_expected_step_is_the_difference_of_expectations(
    order, latent, form, unknown, temperature, margin
):
    rng = np.random.default_rng(order)
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    corpus = random_corpus(rng, 2, sentences=6, unknown=unknown, listed=True)
    rule = Rule.perceptron(margin, temperature)
    change = expected_perceptron(temperature, margin)
    learn_and_compare(shape, corpus, rule, change, rng)


@pytest.mark.parametrize(("order", "latent", "form"), LATENT)
def test_expected_at_temperature_zero_is_the_latent_perceptron(order, latent, form):
    rng = np.random.default_rng(order)
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    corpus = random_corpus(rng, 2, sentences=6)

    def best_paths(shape, hashes, gold, weights):
        up, down = (
            twin.path_features(shape, hashes, path)
            for path in twin.search_both(shape, hashes, gold, weights, 0.0)
        )
        return twin.hamming(
            shape, gold, twin.search_both(shape, hashes, gold, weights, 0.0)[1]
        ), twin.difference(up, down)

    learn_and_compare(shape, corpus, Rule.perceptron(0.0, 1e-6), best_paths, rng)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_expected_at_a_high_temperature_keeps_states_alike(order):
    rng = np.random.default_rng(order)
    shape = small.make_shape("full", labels=3, latent=2, order=order)
    chain = small.make_chain(shape)
    for sentence, gold in random_corpus(rng, 3, sentences=9):
        learn_one(chain, sentence, gold, Rule.perceptron(0.0, 1e9))
    weights = small.read_weights(chain)
    assert weights
    for row in weights.values():
        for axis in range(row.ndim):
            first, second = (row.take([s, s + 2, s + 4], axis) for s in (0, 1))
            assert first == pytest.approx(second, abs=NEAR)
