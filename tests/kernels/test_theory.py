"""The theorems of the latent perceptron paper (Sun et al. 2009), 1 to 3, and that
without latent states the algorithm is Collins' perceptron."""

import itertools
from collections import defaultdict

import numpy as np
import pytest
from builders import chains as small
from builders.margins import (
    LABELS,
    least_bound,
    longest_feature_vector,
    noisy_values,
    norm,
    separable_data,
    spread,
    unit,
)
from reference.chain import gold_mask, path_scores

from spacy_latperc.kernels.chains import Question, Rule


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("latent", [2, 3])
@pytest.mark.parametrize("order", [0, 1])
def test_theory_separable_data_is_latently_separable(order, latent, seed):
    U, sentences, golds, delta = separable_data(seed, order)
    shape = small.make_shape("full", labels=LABELS, latent=latent, order=order)
    wide = spread(U, latent)
    T, scaled = norm(wide), unit(wide)
    for sentence, gold in zip(sentences, golds, strict=True):
        hashes = small.hashes_of(sentence)
        scores = path_scores(shape, hashes, scaled)
        masked = path_scores(shape, hashes, scaled, allowed=gold_mask(shape, gold))
        right = masked > -np.inf
        assert scores[right].min() - scores[~right].max() >= delta / T - 1e-12


@pytest.mark.parametrize("latent", [1, 2, 3])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_theory_chain_decodes_with_the_separating_vector(order, latent):
    U, sentences, golds, _ = separable_data(3, order)
    space = small.make_space()
    shape = small.make_shape("full", labels=LABELS, latent=latent, order=order)
    frozen = small.freeze_weights(small.make_structure(space, shape), spread(U, latent))
    found = frozen.decode(Question(space, *small.in_a_row(sentences)))
    assert found.tolist() == [label for gold in golds for label in gold]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("latent", [1, 2, 3])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_theory_mistakes_stay_below_the_bound(order, latent, seed):
    U, sentences, golds, delta = separable_data(seed, order)
    wide = norm(spread(U, latent)) * longest_feature_vector(order, sentences)
    bound = 2 * wide**2 / delta**2
    shape = small.make_shape("full", labels=LABELS, latent=latent, order=order)
    chain = small.make_chain(shape)
    mistakes = 0
    while True:
        before = mistakes
        for sentence, gold in zip(sentences, golds, strict=True):
            block = small.extract(chain.space, [sentence])
            loss, _ = chain.update([block], np.array(gold, np.int32), Rule.perceptron())
            mistakes += loss > 0
        assert mistakes <= bound
        if mistakes == before:
            break
    assert mistakes


@pytest.mark.parametrize("order", [0, 1, 2])
def test_theory_latent_perceptron_learns_separable_data_without_error(order):
    _, sentences, golds, _ = separable_data(5, order)
    shape = small.make_shape("full", labels=LABELS, latent=2, order=order)
    chain = small.make_chain(shape, average=False, noise=1e-3)
    block = small.extract(chain.space, sentences)
    gold = np.concatenate([np.array(y, np.int32) for y in golds])
    while chain.update([block], gold, Rule.perceptron())[0] > 0:
        assert chain.examples < 100_000
    assert chain.predict(block).tolist() == gold.tolist()


def collins(sentences, golds, order, *, passes):
    """Collins' perceptron, written without any notion of latent states: weights of
    (kind, template, values, labels)."""
    blocks = small.make_shape("label", labels=LABELS, order=order).blocks
    weights = defaultdict(float)

    def features(sentence, labels):
        hashes = small.hashes_of(sentence)
        for kind, _, templates in blocks:
            for i in range(kind, len(labels)):
                for t in templates:
                    yield kind, hashes[i][t], labels[i - kind : i + 1]

    def total(sentence, labels):
        return sum(weights[name] for name in features(sentence, labels))

    for _ in range(passes):
        for sentence, gold in zip(sentences, golds, strict=True):
            paths = [
                x[::-1] for x in itertools.product(range(LABELS), repeat=len(gold))
            ]
            best = max(paths, key=lambda path: total(sentence, path))
            if best != gold:
                for name in features(sentence, gold):
                    weights[name] += 1
                for name in features(sentence, best):
                    weights[name] -= 1
    return {name: weight for name, weight in weights.items() if weight}


@pytest.mark.parametrize("form", ["label", "full"])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_theory_one_latent_state_is_collins_perceptron(order, form):
    rng = np.random.default_rng(11)
    sentences = [small.random_sentence(rng, int(rng.integers(1, 5))) for _ in range(10)]
    golds = [tuple(rng.integers(0, LABELS, len(x)).tolist()) for x in sentences]
    shape = small.make_shape(form, labels=LABELS, order=order, boundaries=False)
    chain = small.make_chain(shape)
    block = small.extract(chain.space, sentences)
    for _ in range(3):
        gold = np.concatenate([np.array(y, np.int32) for y in golds])
        chain.update([block], gold, Rule.perceptron(), shuffled=False)
    found = {
        (kind, key, cell): row[cell]
        for (kind, key), row in small.nonzero(small.read_weights(chain)).items()
        for cell in zip(*map(np.ndarray.tolist, np.nonzero(row)), strict=True)
    }
    assert found == collins(sentences, golds, order, passes=3)


def mistakes_in_one_pass(shape, sentences, golds):
    """RETURNS: how many, and the chain."""
    chain = small.make_chain(shape)
    count = 0
    for sentence, gold in zip(sentences, golds, strict=True):
        block = small.extract(chain.space, [sentence])
        loss, _ = chain.update([block], np.array(gold, np.int32), Rule.perceptron())
        count += loss > 0
    return count, chain


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("latent", [1, 2, 3])
def test_theory_few_mistakes_on_noisy_data(latent, seed):
    # M is 1. The bound says something: it is far below the number of examples.
    shape, sentences, golds, U = noisy_values(seed, examples=300, latent=latent)
    wide = unit(spread(U, latent))
    bound = least_bound(shape, sentences, golds, [wide], np.sqrt(2))
    assert bound < len(sentences)
    count, _ = mistakes_in_one_pass(shape, sentences, golds)
    assert 0 < count <= bound


@pytest.mark.parametrize("latent", [1, 2])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_theory_mistakes_on_inseparable_sequences_stay_below_the_bound(order, latent):
    rng = np.random.default_rng(order)
    shape = small.make_shape("full", labels=LABELS, latent=latent, order=order)
    sentences = [small.random_sentence(rng, int(rng.integers(1, 4))) for _ in range(40)]
    golds = [tuple(rng.integers(0, LABELS, len(x)).tolist()) for x in sentences]
    count, chain = mistakes_in_one_pass(shape, sentences, golds)
    learned = [small.read_weights(chain), small.read_weights(chain, average=True)]
    candidates = [unit(weights) for weights in learned]
    M = longest_feature_vector(order, sentences)
    assert count <= least_bound(shape, sentences, golds, candidates, np.sqrt(2) * M)
