"""Beam search against its definition: orders, latent forms, rules, masks, ties."""

import numpy as np
import pytest
from builders import chains as small
from builders.lattices import SHAPES, both_decoders, random_case
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.chain import Shape
from reference.search import beam_search

from spacy_latperc.kernels.chains import NO_PATH


def expected_labels(case, width, allowed):
    shape, sentences, weights = case
    rules = (shape.transitions, shape.starts, shape.ends)
    free = all(rule is None for rule in rules)
    order = shape.order if free else max(shape.order, 1)
    labels, at = [], 0
    for attrs in sentences:
        mask = None if allowed is None else allowed[at : at + len(attrs)]
        at += len(attrs)
        if not len(attrs):
            continue
        how = {"order": order, "allowed": mask}
        kept = beam_search(shape, small.hashes_of(attrs), weights, width, **how)
        dead = [NO_PATH] * len(attrs)
        labels += dead if kept is None else shape.labels_of(kept[-1][0])
    return labels


@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
@settings(max_examples=20)
@given(
    st.integers(0, 2**32),
    st.integers(1, 4),
    st.sampled_from([1, 2000]),
    st.booleans(),
    st.booleans(),
)
def test_beam_keeps_the_best_histories(
    order, latent, form, seed, width, steps, rules, masked
):
    rng = np.random.default_rng(seed)
    case = random_case(rng, order, latent, form, rules=rules, steps=steps)
    shape, sentences, _ = case
    size = (sum(map(len, sentences)), shape.labels)
    allowed = (rng.random(size) < 0.7).astype(np.uint8) if masked else None
    expected = expected_labels(case, width, allowed)
    for found in both_decoders(*case, allowed, beam=width):
        assert found == expected


@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32), steps=st.sampled_from([1, 10**6]))
def test_beam_as_wide_as_there_are_histories_is_exact(order, latent, form, seed, steps):
    # Thirds are no binary fractions: one sum in another order would show.
    rng = np.random.default_rng(seed)
    labels = int(rng.integers(1, 6))
    shape = small.make_shape(form, labels=labels, latent=latent, order=order)
    sentences = [small.random_sentence(rng, n) for n in (0, 1, 2, 30)]
    weights = small.random_weights(rng, shape, sentences, steps=steps, grain=1 / 3)
    case = shape, sentences, weights
    assert both_decoders(*case, beam=shape.states**order) == both_decoders(*case)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_beam_never_runs_into_a_dead_end(order):
    # Only 2 1 0 0 0 ... ends well. Without weights 2 2 would be as good at first.
    rules = {
        "transitions": np.array([[1, 0, 0], [1, 1, 1], [0, 1, 1]], dtype=bool),
        "ends": np.array([True, False, False]),
    }
    shape = Shape(3, 1, order, small.make_blocks("label", order, edges=False), **rules)
    sentences = [np.ones((70, 2), dtype=np.uint64)]
    allowed = np.ones((70, 3), dtype=np.uint8)
    allowed[0, :2] = 0
    allowed[2, 1:] = 0
    for found in both_decoders(shape, sentences, {}, allowed, beam=1):
        assert found == [2, 1] + [0] * 68


def test_beam_over_more_labels_than_a_word_has_bits():
    follows = np.roll(np.eye(70, dtype=bool), 1, axis=1)
    blocks = small.make_blocks("label", 1)
    shape = Shape(70, 1, 1, blocks, transitions=follows, ends=np.arange(70) == 66)
    sentences = [np.ones((5, 2), dtype=np.uint64)]
    for found in both_decoders(shape, sentences, {}, beam=2):
        assert found == [62, 63, 64, 65, 66]
    with pytest.raises(ValueError):
        small.make_structure(small.make_space(), shape, beam=-1)
