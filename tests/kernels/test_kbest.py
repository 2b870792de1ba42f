"""The k best label sequences against brute force: orders, latent forms, masks, ties."""

import numpy as np
import pytest
from builders import chains as small
from builders.lattices import SHAPES, random_case
from builders.values import token_values
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.chain import Shape, path_scores
from reference.search import labellings

from spacy_latperc.kernels.chains import Question

every_shape = pytest.mark.parametrize(("order", "latent", "form"), SHAPES)


def ask(shape, sentences, weights, k, allowed=None):
    """Return [(labels, score), ...] for each sentence, and the labels of decode."""
    space = small.make_space()
    frozen = small.freeze_weights(small.make_structure(space, shape), weights)
    attrs, bounds = small.in_a_row(sentences)
    values = token_values(space, sentences)
    asked = Question(space, attrs, bounds, allowed, values=values)
    labels, scores, counts = frozen.kbest(asked, k)
    found, at, path = [], 0, 0
    for sentence, count in zip(sentences, counts, strict=True):
        found.append([])
        for _ in range(count):
            here = tuple(labels[at : at + len(sentence)].tolist())
            found[-1].append((here, float(scores[path])))
            at += len(sentence)
            path += 1
    assert (at, path) == (len(labels), len(scores))
    return found, frozen.decode(asked)


def check(case, k, allowed=None):
    shape, sentences, weights = case
    found, decoded = ask(shape, sentences, weights, k, allowed)
    at = 0
    for attrs, paths in zip(sentences, found, strict=True):
        mask = None if allowed is None else allowed[at : at + len(attrs)]
        all_paths = path_scores(shape, small.hashes_of(attrs), weights, allowed=mask)
        expected = labellings(shape, all_paths)
        assert len({labels for labels, _ in paths}) == len(paths)
        for labels, score in paths:
            assert score == expected[labels]
        best = sorted(expected.values(), reverse=True)[:k]
        assert [score for _, score in paths] == best
        if paths:
            assert paths[0][0] == tuple(decoded[at : at + len(attrs)].tolist())
        at += len(attrs)


@every_shape
@settings(max_examples=20)
@given(
    st.integers(0, 2**32),
    st.sampled_from([1, 2, 3, 10, 5000]),
    st.sampled_from([1, 2000]),
    st.booleans(),
)
def test_kbest_finds_each_labelling_once(order, latent, form, seed, k, steps, listed):
    rng = np.random.default_rng(seed)
    check(random_case(rng, order, latent, form, listed=listed, steps=steps), k)


@every_shape
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), k=st.sampled_from([2, 7, 5000]))
def test_kbest_obeys_rules_and_masks(order, latent, form, seed, k):
    rng = np.random.default_rng(seed)
    case = random_case(rng, order, latent, form, rules=True, steps=99)
    shape, sentences, _ = case
    allowed = rng.random((sum(map(len, sentences)), shape.labels)) < 0.7
    check(case, k, allowed.astype(np.uint8))


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize(("labels", "latent"), [(9, 1), (17, 1), (5, 2)])
def test_kbest_over_many_labels(labels, latent, order):
    rng = np.random.default_rng(labels)
    form = "label" if latent == 1 else "tied"
    shape = small.make_shape(form, labels=labels, latent=latent, order=order)
    sentences = [small.random_sentence(rng, n) for n in (3, 1, 2)]
    weights = small.random_weights(rng, shape, sentences, steps=5000, grain=1 / 8)
    check((shape, sentences, weights), 40)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_kbest_of_no_tokens_is_one_empty_labelling_and_of_a_dead_sentence_none(order):
    shape = small.make_shape("label", labels=2, order=order)
    found, _ = ask(shape, [np.empty((0, 2), np.uint64)], {}, 3)
    assert found == [[((), 0.0)]]
    shape = Shape(2, 1, order, shape.blocks, ends=np.zeros(2, dtype=bool))
    found, _ = ask(shape, [np.ones((n, 2), np.uint64) for n in (1, 3)], {}, 3)
    assert found == [[], []]


def test_kbest_scores_never_rise():
    rng = np.random.default_rng(5)
    shape = small.make_shape("label", labels=9)
    sentences = [small.random_sentence(rng, 60)]
    weights = small.random_weights(rng, shape, sentences, steps=10**6, grain=1 / 3)
    (paths,), _ = ask(shape, sentences, weights, 200)
    scores = [score for _, score in paths]
    assert len(scores) == 200
    assert scores == sorted(scores, reverse=True)
    with pytest.raises(ValueError):
        ask(shape, sentences, weights, 0)
