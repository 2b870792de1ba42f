"""Feature hashes against the twin, token by token."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.chain import feature_hashes
from reference.chain import text_hash as slow_text_hash

from spacy_latperc.kernels.chains import FeatureSpace, text_hash

TILE = 64  # tokens that the kernel hashes at a time
REACH = 5
U64 = st.integers(0, 2**64 - 1)


def fast_hashes(programs, attrs):
    sources = [("column", number) for number in range(attrs.shape[1])]
    return FeatureSpace(programs, sources).hashes(attrs).tolist()


@st.composite
def programs_and_attrs(draw):
    columns = draw(st.integers(1, 3))
    part = st.tuples(st.integers(0, columns - 1), st.integers(-REACH, REACH))
    parts = st.tuples(U64, st.lists(part, max_size=4))
    programs = draw(st.lists(parts, min_size=1, max_size=5))
    # Values at both ends of the range, and some that repeat.
    values = st.one_of(st.integers(0, 3), U64)
    n = draw(st.integers(0, 12)) * columns
    cells = draw(st.lists(values, min_size=n, max_size=n))
    return programs, np.array(cells, dtype=np.uint64).reshape(-1, columns)


@given(programs_and_attrs())
def test_hashing_equals_twin(case):
    programs, attrs = case
    assert fast_hashes(programs, attrs) == feature_hashes(programs, attrs)


@pytest.mark.parametrize("n", [TILE - 1, TILE, TILE + 1, 2 * TILE, 3 * TILE + 7])
def test_hashing_equals_twin_across_tiles(n):
    rng = np.random.default_rng(n)
    attrs = rng.integers(0, 5, size=(n, 2)).astype(np.uint64)
    reach = range(-REACH, REACH + 1)
    programs = [(7, [(a, offset)]) for a in (0, 1) for offset in reach]
    programs.append((8, [(0, -REACH), (1, 0), (0, REACH)]))
    assert fast_hashes(programs, attrs) == feature_hashes(programs, attrs)


def test_hashing_has_no_collisions_among_small_values():
    # Attributes are often small numbers: symbols and flags.
    attrs = np.array([[a, b] for a in range(200) for b in range(200)], dtype=np.uint64)
    hashes = fast_hashes([(7, [(0, 0), (1, 0)])], attrs)
    assert len({row[0] for row in hashes}) == 200 * 200
    for n in (0, 3):  # without templates
        space = FeatureSpace([], [("column", 0)])
        assert space.hashes(np.ones((n, 1), dtype=np.uint64)).shape == (n, 0)


@given(st.text(), U64)
def test_hashing_of_text_equals_twin(text, seed):
    assert text_hash(text, seed) == slow_text_hash(text, seed)


def test_hashing_refuses_what_is_out_of_reach():
    for part in ((0, -REACH - 1), (0, REACH + 1), (-1, 0), (1, 0)):
        with pytest.raises(IndexError):
            FeatureSpace([(7, [part])], [("column", 0)])
    for bits in (0, 65):
        with pytest.raises(ValueError):
            FeatureSpace([], [], bits=bits)


@given(programs_and_attrs(), st.integers(1, 64))
def test_hashing_keeps_the_high_bits_that_are_asked_for(case, bits):
    programs, attrs = case
    sources = [("column", number) for number in range(attrs.shape[1])]
    found = FeatureSpace(programs, sources, bits=bits).hashes(attrs)
    low = np.uint64((1 << (64 - bits)) - 1)
    whole = np.array(fast_hashes(programs, attrs), np.uint64).reshape(found.shape)
    assert (found == whole & ~low).all()
