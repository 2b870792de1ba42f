"""Violation fixing: updates against their definition, and what they are good for."""

import itertools

import numpy as np
import pytest
from builders import chains as small
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.chain import Shape, perceptron
from reference.search import prefix_score, violation_fixing
from reference.side_by_side import SHAPES, learn_one, learn_side_by_side, random_corpus

from spacy_latperc.kernels.chains import PREFIXES, Rule

FIXING = ("early", "latest", "max")

# "time flies home", N V N. The features are the kind of a word with its tag, and the
# last two tags. "time" and "flies" are of one kind, for both can be N or V, so greedy
# search has to learn from the kind alone that N comes first, whatever is true of flies.
# (In "time flies" every standard update raises N-V, and these two are soon learned.)
N, V = 1, 0
TIME_FLIES_HOME = np.array([[1, 1], [1, 1], [2, 1]], dtype=np.uint64)
GOLD = np.array([N, V, N], dtype=np.int32)
KINDS_AND_PAIRS = Shape(2, 1, 1, [(0, False, [small.FIRST]), (1, False, [small.BIAS])])


@pytest.mark.parametrize("method", PREFIXES)
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
@settings(max_examples=8)
@given(seed=st.integers(0, 2**32), beam=st.integers(1, 3), listed=st.booleans())
def test_violation_learns_as_its_twin(method, order, latent, form, seed, beam, listed):
    rng = np.random.default_rng(seed)
    labels = int(rng.integers(2, 4))
    shape = small.make_shape(form, labels=labels, latent=latent, order=order)
    corpus = random_corpus(rng, labels, sentences=4, unknown=0.1, listed=listed)
    rules = Rule.violation(method), violation_fixing(method, beam)
    learn_side_by_side(shape, corpus, *rules, passes=2, beam=beam)


@pytest.mark.parametrize("method", PREFIXES)
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_violation_with_exact_search_is_the_perceptron(method, order, latent, form):
    rng = np.random.default_rng(order + latent)
    shape = small.make_shape(form, labels=3, latent=latent, order=order)
    corpus = random_corpus(rng, 3, sentences=5)
    learn_side_by_side(shape, corpus, Rule.violation(method), perceptron(), passes=3)


@pytest.mark.parametrize("method", ["standard", "early"])
def test_violation_with_a_beam_of_all_histories_is_the_perceptron(method):
    rng = np.random.default_rng(7)
    shape = small.make_shape("label", labels=3, order=2)
    corpus = random_corpus(rng, 3, sentences=8, longest=5)
    rule = Rule.violation(method)
    learn_side_by_side(shape, corpus, rule, perceptron(), passes=3, beam=9)


@pytest.mark.parametrize("method", FIXING)
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32), beam=st.integers(1, 4))
def test_violation_is_behind_every_update(method, order, latent, form, seed, beam):
    rng = np.random.default_rng(seed)
    shape = small.make_shape(form, labels=3, latent=latent, order=order)
    chain = small.make_chain(shape, beam=beam)
    for sentence, gold in random_corpus(rng, 3, sentences=15, longest=8):
        before = small.read_weights(chain)
        learn_one(chain, sentence, gold, Rule.violation(method))
        after = small.read_weights(chain)
        # w . [f(gold prefix) - f(predicted prefix)]
        assert sum((x * (after.get(n, 0.0) - x)).sum() for n, x in before.items()) <= 0


def losses(method, *, beam, passes=200):
    """Compute the loss of each pass over the one example."""
    chain = small.make_chain(KINDS_AND_PAIRS, beam=beam)
    rule = Rule.violation(method)
    found = [learn_one(chain, TIME_FLIES_HOME, GOLD, rule)[0] for _ in range(passes)]
    return found, chain.predict(small.extract(chain.space, [TIME_FLIES_HOME])).tolist()


def test_violation_time_flies_is_separable_prefix_by_prefix():
    hashes = small.hashes_of(TIME_FLIES_HOME)
    weights = {
        (0, hashes[0][small.FIRST]): np.array([0, 1]),
        (0, hashes[2][small.FIRST]): np.array([0, 1]),
        (1, hashes[1][small.BIAS]): np.array([[0, 2], [4, 0]]),
    }
    for n in (1, 2, 3):
        scores = {
            path: prefix_score(KINDS_AND_PAIRS, hashes, weights, path)
            for path in itertools.product((V, N), repeat=n)
        }
        right = scores.pop(tuple(GOLD[:n].tolist()))
        assert right > max(scores.values())


@pytest.mark.parametrize("method", PREFIXES)
def test_violation_time_flies_is_learned_by_all_but_greedy_standard_updates(method):
    found, predicted = losses(method, beam=1)
    if method in FIXING:
        assert found.index(0) < 10 and not any(found[10:])
        assert predicted == GOLD.tolist()
    else:
        assert 0 not in found
    found, _ = losses(method, beam=0)
    assert not any(found[10:])


def test_violation_of_a_sentence_that_no_path_agrees_with_is_counted():
    shape = Shape(2, 1, 1, KINDS_AND_PAIRS.blocks, transitions=np.eye(2, dtype=bool))
    chain = small.make_chain(shape, beam=1)
    found = learn_one(chain, TIME_FLIES_HOME, GOLD, Rule.violation("max"))
    assert found == (0.0, [0])
    assert small.read_weights(chain) == {}


def alternating(beam, method):
    """Share of tags that are right after learning sentences like the one above, of 3 to
    9 words, for 30 passes."""
    chain = small.make_chain(KINDS_AND_PAIRS, beam=beam)
    sentences = [np.ones((n, 2), dtype=np.uint64) for n in (3, 5, 7, 9)]
    for sentence in sentences:
        sentence[-1, 0] = 2
    gold = [1 - np.arange(len(sentence)) % 2 for sentence in sentences]
    labels = np.concatenate(gold).astype(np.int32)
    block = small.extract(chain.space, sentences)
    for _ in range(30):
        chain.update([block], labels, Rule.violation(method), shuffled=False)
    return float((chain.predict(block) == labels).mean())


def test_violation_max_or_a_wider_beam_repairs_greedy_learning():
    assert alternating(1, "standard") == 0.0
    assert alternating(1, "max") == 1.0
    assert alternating(2, "standard") == 1.0


@pytest.mark.parametrize("method", PREFIXES)
def test_violation_counts_its_updates(method):
    rng = np.random.default_rng(5)
    shape = small.make_shape("label", labels=3, order=2)
    chain = small.make_chain(shape, beam=1)
    rule = Rule.violation(method)
    losses = [
        learn_one(chain, sentence, gold, rule)[0]
        for sentence, gold in random_corpus(rng, 3, sentences=200, longest=6)
    ]
    updates, violations = rule.updates
    if method == "standard":  # some are of paths that the search only missed
        assert 0 < violations < updates == sum(loss > 0 for loss in losses)
    else:
        assert 0 < violations == updates
