"""Boosted trees beside their slow twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import trees as slow

from spacy_latperc.kernels.text import TREE_DEPTH, learn_trees, tree_margins

WAYS = {
    "n": 3,
    "depth": 2,
    "rate": 0.5,
    "prior": 2.0,
    "places": 0.8,
    "questions": 0.7,
    "seed": 5,
}


@st.composite
def tables(draw):
    reach = draw(st.integers(0, 2))
    places = draw(st.integers(2 * reach + 4, 24))
    row = st.lists(st.integers(0, 5), min_size=places, max_size=places)
    numbers = draw(st.lists(row, min_size=1, max_size=3))
    labels = draw(st.lists(st.integers(0, 2), min_size=places, max_size=places))
    return reach, numbers, labels


def learned(numbers, labels, reach, **ways):
    return learn_trees(
        np.array(numbers, np.uint8), np.array(labels, np.uint8), reach=reach, **ways
    )


def margins(numbers, reach, found, depth=WAYS["depth"]):
    names = ("columns", "offsets", "least", "values", "base")
    given = dict(zip(names, found, strict=True))
    return tree_margins(np.array(numbers, np.uint8), reach=reach, depth=depth, **given)


@settings(max_examples=40)
@given(tables(), st.integers(0, 9))
def test_trees_are_those_of_the_twin(table, seed):
    reach, numbers, labels = table
    ways = {**WAYS, "seed": seed}
    found = learned(numbers, labels, reach, **ways)
    asked, values, base = slow.learn(numbers, labels, reach=reach, **ways)
    assert list(zip(*(x.tolist() for x in found[:3]), strict=True)) == asked
    assert found[3] == pytest.approx(values, abs=1e-5)
    assert found[4] == pytest.approx(base)
    said = margins(numbers, reach, found)
    for at in range(reach, len(labels) - reach):
        wanted = slow.margin(numbers, at, asked, values, base, ways["depth"])
        assert said[at] == pytest.approx(wanted, abs=1e-4)
    assert not said[:reach].any() and not said[len(said) - reach :].any()


def test_trees_learn_what_no_single_number_says():
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 8, (4, 3000)).astype(np.uint8)
    here, behind = numbers[0] >= 4, np.roll(numbers[2], -1) >= 4
    labels = (here ^ behind).astype(np.uint8)
    ways = {**WAYS, "n": 20, "depth": 3, "places": 0.5, "questions": 1.0}
    said = margins(numbers, 1, learned(numbers, labels, 1, **ways), 3)
    assert ((said > 0) == labels)[1:-1].mean() > 0.97


def test_trees_of_unknown_labels_say_nothing():
    numbers = np.ones((2, 9), np.uint8)
    found = learned(numbers, np.full(9, 2), 2, **WAYS)
    assert not margins(numbers, 2, found).any()


@pytest.mark.parametrize(
    "change",
    [
        {"columns": np.array([9, 0], np.int32)},
        {"columns": np.array([-1, 0], np.int32)},
        {"offsets": np.array([3, 0], np.int32)},
        {"least": np.array([1], np.uint8)},
        {"values": np.zeros(3, np.float32)},
        {"depth": 3},
        {"depth": 0},
    ],
)
def test_trees_that_ask_outside_are_refused(change):
    given = {
        "columns": np.zeros(2, np.int32),
        "offsets": np.zeros(2, np.int32),
        "least": np.ones(2, np.uint8),
        "values": np.zeros(4, np.float32),
        "depth": 2,
        "base": 0.0,
    }
    numbers = np.ones((2, 9), np.uint8)
    tree_margins(numbers, reach=2, **given)
    with pytest.raises((ValueError, IndexError)):
        tree_margins(numbers, reach=2, **{**given, **change})


@pytest.mark.parametrize(
    ("numbers", "change"),
    [
        (np.full((1, 9), 64, np.uint8), {}),
        (np.ones((1, 4), np.uint8), {}),
        (np.ones((1, 9), np.uint8), {"depth": TREE_DEPTH + 1}),
        (np.ones((1, 9), np.uint8), {"n": -1}),
    ],
)
def test_trees_refuse_what_they_cannot_take(numbers, change):
    labels = np.zeros(numbers.shape[1], np.uint8)
    with pytest.raises((ValueError, IndexError)):
        learned(numbers, labels, 2, **{**WAYS, **change})
