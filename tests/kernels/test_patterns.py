"""Blocks with one code for several templates: the features are those of the twin."""

import numpy as np
import pytest
from builders.chains import in_a_row
from hypothesis import given
from hypothesis import strategies as st
from reference.chain import feature_hashes

from spacy_latperc.kernels.chains import FeatureSpace

COLUMNS = 2
part = st.tuples(st.integers(0, COLUMNS - 1), st.integers(-5, 5))
near = st.tuples(st.integers(0, COLUMNS - 1), st.integers(-1, 1))
templates = st.lists(
    st.lists(st.one_of(near, part), max_size=3, unique=True), min_size=1, max_size=12
)
WINDOW = [[(0, i)] for i in range(-2, 3)]
PAIRS = [[(0, i), (0, i + 1)] for i in range(-2, 2)]


def programs_of(wanted):
    return [(100 + number, parts) for number, parts in enumerate(wanted)]


def make_space(wanted, **settings):
    sources = [("column", number) for number in range(COLUMNS)]
    return FeatureSpace(programs_of(wanted), sources, **settings)


def random_sentences(rng, sizes, values=4):
    return [rng.integers(0, values, size=(n, COLUMNS)).astype(np.uint64) for n in sizes]


def hashes_in(space, block):
    ids = block.to_array()
    return space.keys_of(ids.reshape(-1)).reshape(ids.shape).tolist()


def expected_hashes(wanted, sentences):
    programs = programs_of(wanted)
    return [row for attrs in sentences for row in feature_hashes(programs, attrs)]


@given(templates, st.integers(0, 2**32))
def test_patterns_say_the_ids_of_all_templates(wanted, seed):
    rng = np.random.default_rng(seed)
    space = make_space(wanted)
    for _ in range(2):
        sentences = random_sentences(rng, rng.integers(0, 9, size=4))
        block = space.extract(*in_a_row(sentences))
        assert hashes_in(space, block) == expected_hashes(wanted, sentences)


@given(templates, st.integers(0, 2**32))
def test_patterns_find_features_that_had_ids_before(wanted, seed):
    rng = np.random.default_rng(seed)
    sentences = random_sentences(rng, [5, 7])
    keys = np.array(expected_hashes(wanted, sentences), dtype=np.uint64).reshape(-1)
    known = np.unique(keys[rng.random(len(keys)) < 0.3])
    rng.shuffle(known)
    space = make_space(wanted)
    space.add_features(known)
    block = space.extract(*in_a_row(sentences))
    assert hashes_in(space, block) == expected_hashes(wanted, sentences)
    assert space.find_features(known).tolist() == list(range(1, len(known) + 1))


@pytest.mark.parametrize("n", [63, 64, 65, 127, 129, 200])
def test_patterns_of_long_sentences_go_on_over_tiles(n):
    wanted = WINDOW + PAIRS
    sentences = random_sentences(np.random.default_rng(n), [n], values=50)
    space = make_space(wanted)
    block = space.extract(*in_a_row(sentences))
    assert block.packed
    assert hashes_in(space, block) == expected_hashes(wanted, sentences)


def test_patterns_take_one_code_for_a_family_and_ids_in_a_row():
    sentences = random_sentences(np.random.default_rng(0), [10, 0, 3])
    block = make_space(WINDOW + PAIRS).extract(*in_a_row(sentences))
    codes = 2 * 13 + 3 * (4 + 3)  # one each, and those beyond three sentences
    assert block.nbytes == 4 * codes + 8 * 4
    sentences = random_sentences(np.random.default_rng(1), [6])
    ids = make_space(WINDOW).extract(*in_a_row(sentences)).to_array()
    first = ids[2, 0]  # of the first token, seen two tokens later
    assert [ids[2 - k, k] for k in range(3)] == [first, first + 1, first + 2]


NOT_ALIKE = [[(0, 0)], [(1, 0)], [(0, 0), (1, 0)]]


@pytest.mark.parametrize(
    ("wanted", "settings"),
    [(NOT_ALIKE, {}), (WINDOW, {"min_count": 2}), (WINDOW, {"bits": 20})],
)
def test_patterns_that_do_not_pay_are_not_kept(wanted, settings):
    sentences = random_sentences(np.random.default_rng(2), [6])
    block = make_space(wanted, **settings).extract(*in_a_row(sentences))
    assert not block.packed
    assert block.nbytes == 4 * 6 * len(wanted) + 8 * 2


def test_patterns_are_not_made_of_features_that_may_not_grow():
    rng = np.random.default_rng(3)
    space = make_space(WINDOW)
    known, other = random_sentences(rng, [6, 6], values=9)
    space.extract(*in_a_row([known]))
    block = space.extract(*in_a_row([other]), grow=False)
    assert not block.packed
    keys = np.array(expected_hashes(WINDOW, [other]), dtype=np.uint64)
    expected = [space.find_features(row).tolist() for row in keys]
    assert block.to_array().tolist() == expected


@given(templates, st.integers(0, 2**32))
def test_bytes_of_blocks_are_equal_where_the_features_are(wanted, seed):
    sentences = random_sentences(np.random.default_rng(seed), [4, 0, 2])
    space = make_space(wanted)
    every = (sentences, sentences, sentences[:1])
    data = [space.extract(*in_a_row(x)).to_bytes() for x in every]
    assert data[0] == data[1] != data[2]


def test_patterns_are_forgotten_with_their_features():
    space = make_space(WINDOW)
    sentences = random_sentences(np.random.default_rng(4), [6])
    block = space.extract(*in_a_row(sentences))
    space.clear()
    with pytest.raises(ValueError, match="LP506"):
        block.to_array()
    again = space.extract(*in_a_row(sentences))
    assert hashes_in(space, again) == expected_hashes(WINDOW, sentences)
