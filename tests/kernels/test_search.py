"""Exact search against brute force: orders, latent forms, masks, ties, dead ends.

Weights are dyadic, so that sums are exact in any order.
"""

import numpy as np
import pytest
from builders import chains as small
from builders.lattices import SHAPES, both_decoders, random_case
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.chain import Shape, first_best, path_scores

from spacy_latperc.kernels.chains import NO_PATH, Chain, FrozenChain, Question


def expected_labels(shape, sentences, weights, allowed=None):
    """Find the labels of all tokens by brute force."""
    labels, at = [], 0
    for attrs in sentences:
        mask = None if allowed is None else allowed[at : at + len(attrs)]
        at += len(attrs)
        hashes = small.hashes_of(attrs)
        path = first_best(path_scores(shape, hashes, weights, allowed=mask))
        labels += [NO_PATH] * len(attrs) if path is None else shape.labels_of(path)
    return labels


@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
@settings(max_examples=80)
@given(
    st.integers(0, 2**32), st.integers(1, 4), st.booleans(), st.sampled_from([1, 2000])
)
def test_search_finds_the_best_path(
    order, latent, form, seed, group_size, listed, steps
):
    """Ties (few steps make many) go to the path with the lowest last states."""
    rng = np.random.default_rng(seed)
    case = random_case(rng, order, latent, form, listed=listed, steps=steps)
    expected = expected_labels(*case)
    for found in both_decoders(*case, group_size=group_size):
        assert found == expected


@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32), group_size=st.integers(1, 4))
def test_search_obeys_rules_and_masks(order, latent, form, seed, group_size):
    rng = np.random.default_rng(seed)
    how = {"listed": seed % 2 == 1, "steps": int(rng.choice([1, 99]))}
    case = random_case(rng, order, latent, form, rules=True, **how)
    shape, sentences, _ = case
    drawn = rng.random((sum(map(len, sentences)), shape.labels))
    allowed = (drawn < rng.choice([0.5, 0.8])).astype(np.uint8)
    for mask in (None, allowed):
        expected = expected_labels(*case, mask)
        for found in both_decoders(*case, mask, group_size=group_size):
            assert found == expected


# Labels at which rows of each strip of vector lanes are full or just begun.
STRIPS = (3, 4, 5, 8, 9, 16, 23, 24, 25, 32, 47, 48, 49, 57)
MANY = [("label", labels, 1, order) for labels in STRIPS for order in (0, 1)]
MANY += [("label", labels, 1, 2) for labels in (9, 17)]
for form in ("full", "tied"):
    MANY += [(form, *sizes, 1) for sizes in [(3, 3), (8, 2), (5, 5), (24, 2)]]


@pytest.mark.parametrize(("form", "labels", "latent", "order"), MANY)
def test_search_finds_the_best_path_over_many_states(form, labels, latent, order):
    rng = np.random.default_rng(labels)
    shape = small.make_shape(form, labels=labels, latent=latent, order=order)
    sentences = [small.random_sentence(rng, n) for n in (3, 1, 2)]
    for steps in (1, 5000):
        weights = small.random_weights(rng, shape, sentences, steps=steps, grain=1 / 8)
        expected = expected_labels(shape, sentences, weights)
        for found in both_decoders(shape, sentences, weights, group_size=4):
            assert found == expected


@pytest.mark.parametrize("order", [0, 1, 2])
def test_search_without_starts_ends_or_weights(order):
    nothing = np.zeros(2, dtype=bool)
    for rules in ({"starts": nothing}, {"ends": nothing}):
        shape = Shape(2, 1, order, small.make_blocks("label", order), **rules)
        sentences = [np.ones((n, 2), dtype=np.uint64) for n in (1, 2, 3)]
        for found in both_decoders(shape, sentences, {}):
            assert found == [NO_PATH] * 6
    shape = small.make_shape("label", labels=3, order=order)
    for found in both_decoders(shape, [np.ones((4, 2), dtype=np.uint64)], {}):
        assert found == [0, 0, 0, 0]


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
    follows = np.roll(np.eye(3, dtype=bool), 1, axis=1)
    starts = np.array([True, False, False])
    blocks = small.make_blocks("label", 1)
    shape = Shape(3, 1, 1, blocks, transitions=follows, starts=starts)
    for found in both_decoders(shape, [np.ones((200, 2), dtype=np.uint64)], {}):
        assert found == [i % 3 for i in range(200)]


def test_search_of_nothing_gives_nothing_and_what_does_not_fit_is_refused():
    space = small.make_space()
    structure = small.make_structure(space, small.make_shape("label", labels=2))
    attrs = np.empty((0, 2), dtype=np.uint64)
    for bounds in ([], [0], [0, 0, 0]):
        asked = Question(space, attrs, np.array(bounds, dtype=np.int64))
        assert FrozenChain(structure).decode(asked).shape == (0,)
    sentences = [np.ones((3, 2), dtype=np.uint64)]
    attrs, bounds = small.in_a_row(sentences)
    for odd in ([0, 9], [2, 1], [-1, 2]):
        with pytest.raises(IndexError):
            Question(space, attrs, np.array(odd, np.int64))
    for shape in ((3, 1), (3, 3), (2, 2), (4, 2)):
        mask = np.ones(shape, dtype=np.uint8)
        with pytest.raises(ValueError):
            FrozenChain(structure).decode(Question(space, attrs, bounds, mask))
        with pytest.raises(ValueError):
            Chain(space, structure).predict(small.extract(space, sentences), mask)
    with pytest.raises(ValueError):
        Question(space, np.ones((3, 1), np.uint64), bounds)
