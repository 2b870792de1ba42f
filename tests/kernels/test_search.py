"""Exact search against brute force: orders, latent forms, masks, ties, dead ends.

Weights are dyadic, so that sums are exact in any order.
"""

import numpy as np
import pytest
from builders import chains as small
from builders.lattices import SHAPES, random_case
from builders.values import token_values
from hypothesis import given
from hypothesis import strategies as st
from reference.chain import Shape, first_best, path_scores

from spacy_latperc.kernels.chains import NO_PATH, Chain, FrozenChain, Question


def expected_labels(shape, sentences, weights, allowed=None):
    """By brute force, of all tokens in a row."""
    labels, at = [], 0
    for attrs in sentences:
        mask = None if allowed is None else allowed[at : at + len(attrs)]
        at += len(attrs)
        path = first_best(
            path_scores(shape, small.hashes_of(attrs), weights, allowed=mask)
        )
        labels += [NO_PATH] * len(attrs) if path is None else shape.labels_of(path)
    return labels


def both_decoders(shape, sentences, weights, allowed=None, *, group_size=1):
    """Labels from frozen rows, and from rows that learn and have not yet changed."""
    space = small.make_space()
    values = token_values(space, sentences)
    group_size = group_size if values is None else 1
    structure = small.make_structure(space, shape, group_size=group_size)
    frozen = small.freeze_weights(structure, weights)
    attrs, bounds = small.in_a_row(sentences)
    asked = Question(space, attrs, bounds, allowed, values=values)
    answered = frozen.decode(asked).tolist()
    chain = Chain(space, structure)
    chain.load(frozen, 5)
    block = space.extract(attrs, bounds, grow=False, values=values)
    return answered, chain.predict(block, allowed).tolist()


@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
@given(seed=st.integers(0, 2**32), group_size=st.integers(1, 4), listed=st.booleans())
def test_search_finds_the_best_path(order, latent, form, seed, group_size, listed):
    rng = np.random.default_rng(seed)
    case = random_case(rng, order, latent, form, listed=listed, steps=2000)
    expected = expected_labels(*case)
    for found in both_decoders(*case, group_size=group_size):
        assert found == expected


@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
@given(seed=st.integers(0, 2**32))
def test_search_breaks_ties_by_the_lowest_last_states(order, latent, form, seed):
    rng = np.random.default_rng(seed)
    case = random_case(rng, order, latent, form, steps=1)
    expected = expected_labels(*case)
    for found in both_decoders(*case):
        assert found == expected


@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
@given(seed=st.integers(0, 2**32), group_size=st.integers(1, 4))
def test_search_obeys_rules_and_masks(order, latent, form, seed, group_size):
    rng = np.random.default_rng(seed)
    case = random_case(
        rng,
        order,
        latent,
        form,
        rules=True,
        listed=seed % 2 == 1,
        steps=int(rng.choice([1, 99])),
    )
    shape, sentences, _ = case
    allowed = rng.random((sum(map(len, sentences)), shape.labels)) < rng.choice(
        [0.5, 0.8]
    )
    allowed = allowed.astype(np.uint8)
    for mask in (None, allowed):
        expected = expected_labels(*case, mask)
        for found in both_decoders(*case, mask, group_size=group_size):
            assert found == expected


# Labels and order at which rows of each strip of vector lanes are full or just begun.
@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("labels", [3, 4, 5, 8, 9, 16, 23, 24, 25, 32, 47, 48, 49, 57])
def test_search_finds_the_best_path_over_many_labels(labels, order):
    rng = np.random.default_rng(labels)
    shape = small.make_shape("label", labels=labels, order=order)
    sentences = [small.random_sentence(rng, n) for n in (3, 1, 2)]
    for steps in (1, 5000):
        weights = small.random_weights(rng, shape, sentences, steps=steps, grain=1 / 8)
        expected = expected_labels(shape, sentences, weights)
        for found in both_decoders(shape, sentences, weights, group_size=4):
            assert found == expected


@pytest.mark.parametrize(
    ("form", "labels", "settings"),
    [
        *(
            (form, labels, {"latent": latent})
            for form in ("full", "tied")
            for labels, latent in [(3, 3), (8, 2), (5, 5), (24, 2)]
        ),
        *(("label", labels, {"order": 2}) for labels in (9, 17)),
    ],
)
def test_search_finds_the_best_path_over_many_states(form, labels, settings):
    rng = np.random.default_rng(labels)
    shape = small.make_shape(form, labels=labels, **settings)
    sentences = [small.random_sentence(rng, n) for n in (3, 1, 2)]
    weights = small.random_weights(rng, shape, sentences, steps=5000, grain=1 / 8)
    expected = expected_labels(shape, sentences, weights)
    for found in both_decoders(shape, sentences, weights, group_size=3):
        assert found == expected


def test_search_without_weights_gives_the_lowest_states():
    shape = small.make_shape("label", labels=3, order=2)
    for found in both_decoders(shape, [np.ones((4, 2), dtype=np.uint64)], {}):
        assert found == [0, 0, 0, 0]


@pytest.mark.parametrize("order", [0, 1, 2])
def test_search_without_starts_and_ends_has_no_path(order):
    nothing = np.zeros(2, dtype=bool)
    for rules in ({"starts": nothing}, {"ends": nothing}):
        shape = Shape(2, 1, order, small.make_blocks("label", order), **rules)
        sentences = [np.ones((n, 2), dtype=np.uint64) for n in (1, 2, 3)]
        for found in both_decoders(shape, sentences, {}):
            assert found == [NO_PATH] * 6


@pytest.mark.parametrize("order", [0, 1, 2])
def test_search_dead_sentence_leaves_its_neighbours_alone(order):
    shape = small.make_shape("label", labels=2, order=order)
    sentences = [np.ones((2, 2), dtype=np.uint64)] * 3
    allowed = np.ones((6, 2), dtype=np.uint8)
    allowed[3] = 0
    allowed[5, 0] = 0
    for found in both_decoders(shape, sentences, {}, allowed):
        assert found == [0, 0, NO_PATH, NO_PATH, 0, 1]


def test_search_of_a_long_sentence_goes_on_across_tiles():
    # A chain of transitions that allows one path only: 0 1 2 0 1 2 ...
    shape = Shape(
        3,
        1,
        1,
        small.make_blocks("label", 1),
        transitions=np.roll(np.eye(3, dtype=bool), 1, axis=1),
        starts=np.array([True, False, False]),
    )
    for found in both_decoders(shape, [np.ones((200, 2), dtype=np.uint64)], {}):
        assert found == [i % 3 for i in range(200)]


@pytest.mark.parametrize("bounds", [[], [0], [0, 0, 0]])
def test_search_of_nothing_gives_nothing(bounds):
    space = small.make_space()
    structure = small.make_structure(space, small.make_shape("label", labels=2))
    attrs = np.empty((0, 2), dtype=np.uint64)
    asked = Question(space, attrs, np.array(bounds, dtype=np.int64))
    found = FrozenChain(structure).decode(asked)
    assert found.shape == (0,)


@pytest.mark.parametrize("bounds", [[0, 9], [2, 1], [-1, 2]])
def test_search_refuses_sentences_outside_the_batch(bounds):
    space = small.make_space()
    with pytest.raises(IndexError):
        Question(space, np.ones((3, 2), np.uint64), np.array(bounds, np.int64))


@pytest.mark.parametrize("shape", [(3, 1), (3, 3), (2, 2), (4, 2)])
def test_search_refuses_a_mask_of_another_shape(shape):
    space = small.make_space()
    structure = small.make_structure(space, small.make_shape("label", labels=2))
    sentences = [np.ones((3, 2), dtype=np.uint64)]
    attrs, bounds = small.in_a_row(sentences)
    mask = np.ones(shape, dtype=np.uint8)
    with pytest.raises(ValueError):
        FrozenChain(structure).decode(Question(space, attrs, bounds, mask))
    with pytest.raises(ValueError):
        Chain(space, structure).predict(small.extract(space, sentences), mask)


def test_search_refuses_attributes_of_another_width():
    space = small.make_space()
    with pytest.raises(ValueError):
        Question(space, np.ones((3, 1), np.uint64), np.array([0, 3], np.int64))
