"""Scores from outside: lattices that start at them, and slopes of losses along them."""

import numpy as np
import pytest
from builders import chains as small
from builders.lattices import SHAPES, random_case, random_given
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.chain import first_best, gold_mask, path_scores
from reference.rules import best_paths
from reference.search import labellings
from reference.sums import log_sum

from spacy_latperc.kernels.chains import NO_PATH, Chain, FrozenChain, Question, Rule

every_shape = pytest.mark.parametrize(("order", "latent", "form"), SHAPES)


def case_with_scores(seed, order, latent, form, *, rules):
    rng = np.random.default_rng(seed)
    case = random_case(rng, order, latent, form, rules=rules, steps=2000)
    shape, sentences, _ = case
    n = sum(map(len, sentences))
    allowed = (rng.random((n, shape.labels)) < 0.7).astype(np.uint8) if rules else None
    return case, allowed, random_given(rng, shape, n)


def ask(case, allowed, scores, *, beam=0):
    """A frozen chain, and what it is asked about a case."""
    shape, sentences, weights = case
    space = small.make_space()
    frozen = small.freeze_weights(
        small.make_structure(space, shape, beam=beam), weights
    )
    attrs, bounds = small.in_a_row(sentences)
    return frozen, Question(space, attrs, bounds, allowed, scores)


def scores_by_sentence(case, allowed, scores):
    shape, sentences, weights = case
    at = 0
    for attrs in sentences:
        here = slice(at, at + len(attrs))
        mask = None if allowed is None else allowed[here]
        given_ = {"allowed": mask, "costs": scores[here]}
        yield path_scores(shape, small.hashes_of(attrs), weights, **given_)
        at += len(attrs)


@every_shape
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), rules=st.booleans())
def test_given_scores_join_the_search(order, latent, form, seed, rules):
    case, allowed, scores = case_with_scores(seed, order, latent, form, rules=rules)
    shape, sentences, weights = case
    expected = []
    of_sentences = scores_by_sentence(case, allowed, scores)
    for attrs, of_paths in zip(sentences, of_sentences, strict=True):
        path = first_best(of_paths)
        expected += [NO_PATH] * len(attrs) if path is None else shape.labels_of(path)
    frozen, asked = ask(case, allowed, scores)
    assert frozen.decode(asked).tolist() == expected
    chain = small.make_chain(shape, weights)
    block = chain.space.extract(*small.in_a_row(sentences), grow=False)
    assert chain.predict(block, allowed, scores).tolist() == expected


@every_shape
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32), rules=st.booleans())
def test_given_scores_join_the_k_best(order, latent, form, seed, rules):
    case, allowed, scores = case_with_scores(seed, order, latent, form, rules=rules)
    frozen, asked = ask(case, allowed, scores)
    _, found, counts = frozen.kbest(asked, 7)
    at = 0
    of_sentences = scores_by_sentence(case, allowed, scores)
    for count, of_paths in zip(counts, of_sentences, strict=True):
        best = sorted(labellings(case[0], of_paths).values(), reverse=True)[:7]
        assert found[at : at + count].tolist() == best
        at += count


@every_shape
@pytest.mark.parametrize("width", [1, 3])
def test_a_wide_beam_over_given_scores_is_exact(order, latent, form, width):
    case, _, scores = case_with_scores(order, order, latent, form, rules=False)
    beams = (0, case[0].states ** 2, width)
    asked = [ask(case, None, scores, beam=beam) for beam in beams]
    exact, wide, narrow = (frozen.decode(x).tolist() for frozen, x in asked)
    assert wide == exact
    assert len(narrow) == len(exact)


def margin_loss(margin, total):
    """Compute the log sum of all paths, with a cost, minus that of the gold paths."""

    def loss(shape, hashes, gold, weights, scores):
        mask = gold_mask(shape, gold)
        costs = scores + margin * widened(1.0 - mask, scores)
        free = path_scores(shape, hashes, weights, costs=costs)
        inside = path_scores(shape, hashes, weights, allowed=mask, costs=scores)
        return total(free.reshape(-1)) - total(inside.reshape(-1))

    return loss


def probabilistic_loss(n):
    def loss(shape, hashes, gold, weights, scores):
        mask = gold_mask(shape, gold)
        free = path_scores(shape, hashes, weights, costs=scores)
        inside = path_scores(shape, hashes, weights, allowed=mask, costs=scores).max()
        found = best_paths(shape, free, n)
        listed = [score for score, _ in found]
        if all(shape.labels_of(path) != tuple(gold) for _, path in found):
            listed.append(inside)
        return log_sum(np.array(listed)) - inside

    return loss


def widened(by_label, like):
    return np.repeat(by_label, like.shape[1] // by_label.shape[1], axis=1)


SLOPES = {
    "crf": (Rule.crf(), margin_loss(0.0, log_sum)),
    "softmax-margin": (Rule.crf(1.5), margin_loss(1.5, log_sum)),
    "perceptron": (Rule.perceptron(), margin_loss(0.0, np.max)),
    "perceptron with a margin": (Rule.perceptron(2.0), margin_loss(2.0, np.max)),
    "probabilistic": (Rule.probabilistic(4), probabilistic_loss(4)),
}


@pytest.mark.parametrize(
    ("name", "unknown"),
    [(name, 0.0) for name in SLOPES] + [("crf", 0.5), ("perceptron", 0.5)],
)
@pytest.mark.parametrize("by_state", [False, True])
@every_shape
def test_slope_along_given_scores_equals_central_differences(
    order, latent, form, by_state, name, unknown
):
    rule, loss = SLOPES[name]
    rng = np.random.default_rng(order)
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    sentences = [small.random_sentence(rng, n) for n in (1, 3)]
    weights = small.random_weights(rng, shape, sentences, steps=20, grain=1 / 8)
    n = sum(map(len, sentences))
    gold = rng.integers(0, 2, size=n).astype(np.int32)
    gold[rng.random(n) < unknown] = -1
    scores = rng.normal(0, 1, (n, shape.states if by_state else 2)).astype(np.float32)
    chain = small.make_chain(shape)
    block = small.extract(chain.space, sentences)
    chain.load(small.freeze_weights(chain.structure, weights), 0)
    slope = np.full_like(scores, 7.0)
    # A rate of next to nothing: all sentences are seen under the same weights.
    rates = np.full(len(sentences), 1e-12, dtype=np.float32)
    chain.update([block], gold, rule, rates=rates, external_scores=scores, slope=slope)

    def total(scores):
        at, result = 0, 0.0
        for attrs in sentences:
            here = slice(at, at + len(attrs))
            right = gold[here].tolist()
            result += loss(shape, small.hashes_of(attrs), right, weights, scores[here])
            at += len(attrs)
        return result

    exact = scores.astype(np.float64)
    for place in np.ndindex(*scores.shape):
        moved = np.stack([exact, exact])
        moved[(slice(None), *place)] += (1e-4, -1e-4)
        expected = (total(moved[0]) - total(moved[1])) / 2e-4
        assert slope[place] == pytest.approx(expected, abs=2e-4), place


def test_given_zeros_change_nothing_that_is_learned():
    rng = np.random.default_rng(3)
    shape = small.make_shape("tied", labels=2, latent=2, order=1)
    sentences = [small.random_sentence(rng, n) for n in (3, 1, 4)]
    gold = rng.integers(0, 2, size=8).astype(np.int32)
    learned = []
    for scores in (None, np.zeros((8, 2), np.float32), np.zeros((8, 4), np.float32)):
        chain = small.make_chain(shape, noise=1e-3, seed=1)
        block = small.extract(chain.space, sentences)
        for _ in range(3):
            chain.update([block], gold, Rule.perceptron(), external_scores=scores)
        learned.append(small.read_weights(chain))
    for other in learned[1:]:
        assert other.keys() == learned[0].keys()
        for name, row in other.items():
            np.testing.assert_array_equal(row, learned[0][name])


STEPPING = {"PA": Rule.passive_aggressive(), "MIRA": Rule.mira(2)}
STEPPING |= {"violation": Rule.violation()}


@pytest.mark.parametrize("name", STEPPING)
def test_rules_without_a_slope_say_so(name):
    shape = small.make_shape("label", labels=2)
    chain = small.make_chain(shape)
    block = small.extract(
        chain.space, [small.random_sentence(np.random.default_rng(0), 3)]
    )
    gold = np.array([0, 1, 0], dtype=np.int32)
    scores = np.zeros((3, 2), np.float32)
    assert not STEPPING[name].has_slope
    given_ = {"external_scores": scores}
    with pytest.raises(ValueError, match="LP590.*slope"):
        chain.update([block], gold, STEPPING[name], **given_, slope=scores.copy())
    assert not small.read_weights(chain)
    chain.update([block], gold, STEPPING[name], **given_)
    assert small.read_weights(chain)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.zeros((3, 3)), "LP502.*external_scores"),
        (np.zeros((2, 2)), "LP502.*external_scores"),
        (np.array([[0, 0], [0, np.nan], [0, 0]]), r"LP590.*external_scores\[1, 1\]"),
        (np.array([[np.inf, 0], [0, 0], [0, 0]]), r"LP590.*external_scores\[0, 0\]"),
    ],
)
def test_given_scores_of_a_wrong_kind_are_refused(scores, message):
    space = small.make_space()
    structure = small.make_structure(space, small.make_shape("label", labels=2))
    attrs, bounds = small.in_a_row([small.random_sentence(np.random.default_rng(0), 3)])
    scores = scores.astype(np.float32)
    with pytest.raises(ValueError, match=message):
        FrozenChain(structure).decode(Question(space, attrs, bounds, None, scores))
    chain = Chain(space, structure)
    block = space.extract(attrs, bounds)
    with pytest.raises(ValueError, match=message):
        chain.update([block], np.zeros(3, np.int32), Rule.crf(), external_scores=scores)
    with pytest.raises(ValueError, match=message):
        chain.predict(block, None, scores)
    if scores.shape == (2, 2):
        slope = np.zeros((3, 2), np.float32)
        for given_ in (None, scores):  # a slope needs scores of its shape
            given_ = {"external_scores": given_, "slope": slope}
            with pytest.raises(ValueError, match="LP502"):
                chain.update([block], np.zeros(3, np.int32), Rule.crf(), **given_)
