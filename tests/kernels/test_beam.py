"""Beam search against its definition: orders, latent forms, rules, masks, ties."""

import numpy as np
import pytest
from builders import chains as small
from builders.lattices import SHAPES, random_case
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.chain import Shape
from reference.search import beam_search

from spacy_latperc.kernels.chains import NO_PATH, Chain, Question


def both_decoders(shape, sentences, weights, beam, allowed=None):
    """Labels from frozen rows, and from rows that learn."""
    space = small.make_space()
    structure = small.make_structure(space, shape, beam=beam)
    frozen = small.freeze_weights(structure, weights)
    attrs, bounds = small.in_a_row(sentences)
    answered = frozen.decode(Question(space, attrs, bounds, allowed)).tolist()
    chain = Chain(space, structure)
    chain.load(frozen, 5)
    block = space.extract(attrs, bounds, grow=False)
    return answered, chain.predict(block, allowed).tolist()


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
        kept = beam_search(
            shape, small.hashes_of(attrs), weights, width, order=order, allowed=mask
        )
        dead = [NO_PATH] * len(attrs)
        labels += dead if kept is None else shape.labels_of(kept[-1][0])
    return labels


@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
@settings(max_examples=20)
@given(
    seed=st.integers(0, 2**32),
    width=st.integers(1, 4),
    steps=st.sampled_from([1, 2000]),
    rules=st.booleans(),
    masked=st.booleans(),
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
    for found in both_decoders(*case, width, allowed):
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
    exact = both_decoders(shape, sentences, weights, 0)
    assert both_decoders(shape, sentences, weights, shape.states**order) == exact


@pytest.mark.parametrize("order", [0, 1, 2])
def test_beam_never_runs_into_a_dead_end(order):
    # Only 2 1 0 0 0 ... ends well. Without weights 2 2 would be as good at first.
    shape = Shape(
        3,
        1,
        order,
        small.make_blocks("label", order, edges=False),
        transitions=np.array([[1, 0, 0], [1, 1, 1], [0, 1, 1]], dtype=bool),
        ends=np.array([True, False, False]),
    )
    sentences = [np.ones((70, 2), dtype=np.uint64)]
    allowed = np.ones((70, 3), dtype=np.uint8)
    allowed[0, :2] = 0
    allowed[2, 1:] = 0
    for found in both_decoders(shape, sentences, {}, 1, allowed):
        assert found == [2, 1] + [0] * 68


def test_beam_over_more_labels_than_a_word_has_bits():
    shape = Shape(
        70,
        1,
        1,
        small.make_blocks("label", 1),
        transitions=np.roll(np.eye(70, dtype=bool), 1, axis=1),
        ends=np.arange(70) == 66,
    )
    sentences = [np.ones((5, 2), dtype=np.uint64)]
    for found in both_decoders(shape, sentences, {}, 2):
        assert found == [62, 63, 64, 65, 66]


def test_beam_cannot_be_negative():
    with pytest.raises(ValueError):
        small.make_structure(
            small.make_space(), small.make_shape("label", labels=2), beam=-1
        )
