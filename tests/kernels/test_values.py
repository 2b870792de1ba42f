"""Lists of values: the features that they multiply out to, and what is refused.

What learns and answers with them is tested where its plain twin is.
"""

import numpy as np
import pytest
from builders import chains as small
from builders.values import token_values, with_lists
from hypothesis import given
from hypothesis import strategies as st
from reference.chain import Shape, bag_of, text_hash
from reference.values import character_ngrams, feature_bags

from spacy_latperc.kernels.chains import NGRAMS, FeatureSpace, FrozenChain, Question


def features_of(space, block):
    """Return {hash: weight} of the features of each token and template."""
    found = [
        [
            [] if feature == 0 else [(int(space.keys_of(np.array([feature]))[0]), 1.0)]
            for feature in row
        ]
        for row in block.to_array().astype(np.int32)
    ]
    for token, template, feature, value in zip(*block.weighted_features(), strict=True):
        key = int(space.keys_of(np.array([feature], dtype=np.int32))[0])
        found[token][template].append((key, value))
    return found


@given(seed=st.integers(0, 2**32), grow=st.booleans())
def test_values_multiply_out(seed, grow):
    rng = np.random.default_rng(seed)
    space = small.make_space()
    sizes = rng.integers(0, 70, size=3)
    how = [{"values": 3, "listed": bool(rng.integers(2))} for _ in sizes]
    pairs = zip(sizes, how, strict=True)
    sentences = [small.random_sentence(rng, n, **x) for n, x in pairs]
    if not grow:
        small.extract(space, sentences)
    values = token_values(space, sentences)
    block = space.extract(*small.in_a_row(sentences), grow=grow, values=values)
    rows = [row for x in sentences for row in small.hashes_of(x)]
    expected = [[list(bag_of(seen)) for seen in row] for row in rows]
    assert features_of(space, block) == expected


def test_values_of_one_that_counts_one_are_plain_and_of_none_no_features():
    space = small.make_space()
    plain = np.array([[5, 6], [7, 8]], dtype=np.uint64)
    listed = with_lists(np.zeros_like(plain), {})
    places = np.ndindex(plain.shape)
    listed.lists = {place: [(int(plain[place]), 1.0)] for place in places}
    block = small.extract(space, [listed])
    assert block.n_weighted == 0
    expected = small.extract(space, [plain]).to_array()
    assert block.to_array().tolist() == expected.tolist()
    sentence = with_lists(np.ones((1, 2), dtype=np.uint64), {(0, 0): []})
    row = small.extract(space, [sentence]).to_array()[0]
    without = {small.FIRST, small.PAIR}
    assert (row > 0).tolist() == [n not in without for n in range(5)]


def test_values_are_counted_for_the_cut_off():
    space = small.make_space(min_count=2)
    sentence = np.ones((1, 2), dtype=np.uint64)
    for keys in ([3, 4], [4, 5]):
        lists = {(0, 0): [(key, 0.5) for key in keys]}
        small.extract(space, [with_lists(sentence, lists)], count=True)
    keys, counts = space.counted()
    by_key = dict(zip(keys.tolist(), counts.tolist(), strict=True))
    found = []
    for value in (3, 4, 5):
        attrs = np.array([[value, 1]], dtype=np.uint64)
        found.append(by_key[int(small.hashes_of(attrs)[0][small.FIRST])])
    assert found == [1, 2, 1]


@given(seed=st.integers(0, 2**32))
def test_values_answers_do_not_depend_on_the_batch(seed):
    rng = np.random.default_rng(seed)
    space = small.make_space()
    shape = small.make_shape("label", labels=3)
    sentences = [small.random_sentence(rng, 4, listed=x) for x in (False, True)]
    weights = small.random_weights(rng, shape, sentences, steps=1 << 20, grain=1e-6)
    frozen = small.freeze_weights(small.make_structure(space, shape), weights)

    def scores(batch):
        values = token_values(space, batch)
        asked = Question(space, *small.in_a_row(batch), values=values)
        return frozen.max_marginals(asked)

    together = scores(sentences)
    alone = np.concatenate([scores([sentence]) for sentence in sentences])
    assert together.tobytes() == alone.tobytes()


def test_values_of_some_tokens():
    rng = np.random.default_rng(1)
    space = small.make_space()
    sentence = small.random_sentence(rng, 9, listed=True)
    values = token_values(space, [sentence])
    tokens = np.array([7, 2, 2, 0])
    attrs = np.ascontiguousarray(np.asarray(sentence)[tokens])
    lists = {
        (i, a): sentence.lists[at, a]
        for i, at in enumerate(tokens.tolist())
        for a in range(small.COLUMNS)
        if (at, a) in sentence.lists
    }
    block = space.extract(attrs, np.array([0, 4]), values=values.take(tokens))
    expected = small.extract(space, [with_lists(attrs, lists)])
    both = zip(block.weighted_features(), expected.weighted_features(), strict=True)
    assert all(np.array_equal(found, wanted) for found, wanted in both)
    assert block.to_array().tolist() == expected.to_array().tolist()
    with pytest.raises(IndexError):
        values.take(np.array([9]))


WORDS = [(9, [(0, at)]) for at in range(-4, 5)]  # a family, so that packing pays
NGRAM_PROGRAMS = [*WORDS, (7, [(1, 0)]), (8, [(1, -1), (0, 1)]), (6, [(2, 0), (1, 0)])]


@given(
    words=st.lists(st.text(max_size=6), min_size=1, max_size=70),
    packed=st.booleans(),
    grow=st.booleans(),
)
def test_ngrams_are_lists(words, packed, grow):
    sources = [("column", 0), *(("lexical", NGRAMS, n, None) for n in (3, 2))]
    space = FeatureSpace(NGRAM_PROGRAMS, sources, packed=packed)
    values = np.arange(len(words), dtype=np.uint64).reshape(-1, 1)
    bounds = np.array([0, len(words)])
    if not grow:
        space.extract(space.attributes(values, words.__getitem__), bounds)
    found = space.attributes(values, words.__getitem__)
    block = space.extract(found, bounds, grow=grow)
    assert block.packed == (packed and grow)
    lower = [text_hash(f"<{word.lower()}>") for word in words]
    attrs = np.array([values[:, 0], lower, lower], dtype=np.uint64).T
    assert (found.matrix == attrs).all()
    lists = {
        (i, a): character_ngrams(word, n)
        for i, word in enumerate(words)
        for a, n in ((1, 3), (2, 2))
    }
    expected = feature_bags(NGRAM_PROGRAMS, attrs, lists)
    assert features_of(space, block) == [[list(bag) for bag in row] for row in expected]
    some = np.arange(len(words))[::-2].astype(np.int64)
    again = space.extract(found.take(some), np.array([0, len(some)]), grow=False)
    kept = {(k, a): lists[i, a] for k, i in enumerate(some.tolist()) for a in (1, 2)}
    features = set(space.keys_of(np.arange(1, space.n_features + 1, dtype=np.int32)))
    expected = feature_bags(NGRAM_PROGRAMS, attrs[some], kept)
    assert features_of(space, again) == [
        [[item for item in bag if item[0] in features] for bag in row]
        for row in expected
    ]


GOOD = {"columns": [0, 1], "list_of": [[0, 2], [1, 0]], "begin": [0, 1, 3]}
GOOD |= {"keys": [7, 8, 9], "values": [1.0, 2.0, 0.5]}
BAD = {
    "a column too many": {"columns": [0, 1, 2]},
    "a list that is not there": {"list_of": [[0, 3], [1, 0]]},
    "a list below none": {"list_of": [[0, -1], [1, 0]]},
    "no beginning": {"begin": []},
    "a late beginning": {"begin": [1, 1, 3]},
    "an early end": {"begin": [0, 1, 2]},
    "a list that ends before it begins": {"begin": [0, 4, 3]},
    "a value too few": {"values": [1.0, 2.0]},
    "a value that is no number": {"values": [1.0, np.nan, 0.5]},
    "an infinite value": {"values": [1.0, 2.0, -np.inf]},
}
TYPES = {"list_of": np.int32, "begin": np.int64}
TYPES |= {"keys": np.uint64, "values": np.float32}


def made(**parts):
    arrays = {
        name: np.array(value, TYPES[name]) if name in TYPES else value
        for name, value in {**GOOD, **parts}.items()
    }
    return small.make_space().token_values(*arrays.values())


@pytest.mark.parametrize("what", BAD)
def test_values_refuse(what):
    assert made().n_tokens == 2
    with pytest.raises((ValueError, IndexError)):
        made(**BAD[what])


def test_values_of_other_tokens_another_space_or_generation_are_refused():
    space = small.make_space()
    attrs, bounds = small.in_a_row([np.ones((3, small.COLUMNS), dtype=np.uint64)])
    with pytest.raises(ValueError):
        space.extract(attrs, bounds, values=made())
    with pytest.raises(ValueError):
        Question(space, attrs, bounds, values=made())
    sources = [("column", number) for number in range(3)]
    other = FeatureSpace(small.PROGRAMS, sources)
    with pytest.raises(ValueError):
        other.extract(np.ones((2, 3), np.uint64), np.array([0, 2]), values=made())
    chain = small.make_chain(small.make_shape("label", labels=2))
    sentence = with_lists(np.ones((1, 2), dtype=np.uint64), {(0, 0): [(4, 2.0)]})
    block = small.extract(chain.space, [sentence])
    chain.space.clear()
    with pytest.raises((ValueError, IndexError)):
        chain.predict(block)


def test_values_in_a_group_of_templates_are_refused():
    # A sum that is remembered is one of plain features.
    space = small.make_space()
    shape = Shape(2, 1, 0, [(0, False, [small.FIRST, small.SECOND])])
    frozen = FrozenChain(small.make_structure(space, shape, group_size=2))
    sentence = with_lists(np.ones((1, 2), dtype=np.uint64), {(0, 1): [(4, 2.0)]})
    values = token_values(space, [sentence])
    with pytest.raises(ValueError):
        frozen.decode(Question(space, *small.in_a_row([sentence]), values=values))
