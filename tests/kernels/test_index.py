"""The index from feature hash to id: exact under growth, full buckets included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.kernels.chains import FeatureSpace

TOP = 2**64 - 1


def make_space(**settings):
    return FeatureSpace([(7, [(0, 0)])], [("column", 0)], **settings)


def ids_after_adding(space, keys):
    """Adds the keys; RETURNS: what find_features says of each."""
    space.add_features(np.array(keys, dtype=np.uint64))
    return space.find_features(np.array(keys, dtype=np.uint64)).tolist()


def first_seen_numbers(keys):
    numbers = {}
    for key in keys:
        numbers.setdefault(key, len(numbers) + 1)
    return [numbers[key] for key in keys]


# The high bits choose the bucket: keys that share them all want the same one, the last
# ones wrap around to the first.
CROWDS = {
    "random": lambda rng, n: rng.integers(0, TOP, size=n, dtype=np.uint64),
    "small": lambda rng, n: np.arange(n, dtype=np.uint64),
    "first bucket": lambda rng, n: rng.integers(0, 2**40, size=n, dtype=np.uint64),
    "last bucket": lambda rng, n: TOP - rng.integers(0, 2**40, size=n, dtype=np.uint64),
    "one bucket": lambda rng, n: (
        np.uint64(0xABCDEF << 40) + rng.integers(0, 2**40, size=n, dtype=np.uint64)
    ),
    "repeated": lambda rng, n: rng.integers(0, n // 3, size=n, dtype=np.uint64) << 50,
}


@pytest.mark.parametrize("crowd", CROWDS)
def test_index_is_exact_under_growth(crowd):
    keys = CROWDS[crowd](np.random.default_rng(5), 4000).tolist()
    assert ids_after_adding(make_space(), keys) == first_seen_numbers(keys)


@pytest.mark.parametrize("crowd", CROWDS)
def test_index_does_not_know_what_was_not_added(crowd):
    keys = np.unique(CROWDS[crowd](np.random.default_rng(6), 4000))
    added, other = keys[::2].copy(), keys[1::2].copy()
    space = make_space()
    space.add_features(added)
    assert not space.find_features(other).any()


@given(st.lists(st.one_of(st.integers(0, 3), st.integers(0, TOP)), max_size=60))
def test_index_numbers_keys_in_order(keys):
    assert ids_after_adding(make_space(), keys) == first_seen_numbers(keys)


def test_index_reports_its_memory_and_forgets_when_cleared():
    space = make_space()
    before = space.nbytes
    ids_after_adding(space, list(range(5000)))
    assert space.nbytes > before + 5000 * 12
    space.clear()
    assert space.n_features == 0
    assert not space.find_features(np.arange(5000, dtype=np.uint64)).any()
    assert ids_after_adding(space, [6, 5]) == [1, 2]


def extract(space, values, **how):
    attrs = np.array(values, dtype=np.uint64).reshape(-1, 1)
    bounds = np.array([0, len(values)], dtype=np.int64)
    return space.extract(attrs, bounds, **how).to_array().reshape(-1).tolist()


def test_index_does_not_grow_when_told_not_to():
    space = make_space()
    extract(space, [8, 9])
    assert extract(space, [9, 10, 8], grow=False) == [2, 0, 1]
    assert space.n_features == 2


PROGRAMS = st.lists(st.lists(st.integers(-2, 2), max_size=2), min_size=1, max_size=4)


@given(st.integers(0, 200), st.integers(0, 40), PROGRAMS)
def test_index_finds_what_the_tiles_of_a_sentence_name(n, known, programs):
    """Also where a sentence is longer than a tile, and some features are unknown."""
    rng = np.random.default_rng(n)
    attrs = rng.integers(0, 30, size=(n, 1)).astype(np.uint64)
    offsets = enumerate(programs)
    programs = [(7 * t, [(0, offset) for offset in parts]) for t, parts in offsets]
    space = FeatureSpace(programs, [("column", 0)])
    bounds = np.array([0, n], dtype=np.int64)
    space.extract(attrs[:known], np.array([0, len(attrs[:known])], dtype=np.int64))
    found = space.extract(attrs, bounds, grow=False).to_array()
    wanted = space.find_features(space.hashes(attrs).reshape(-1))
    assert found.reshape(-1).tolist() == wanted.tolist()
