"""Attributes that are functions of the word: cut or computed once per word type."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.chain import text_hash
from spacy.strings import StringStore

from spacy_latperc.kernels.chains import COMPUTED, PREFIX, SUFFIX, FeatureSpace

LENGTHS = range(1, 6)
EMOJI = "\U0001f600\U0001f680x\U0010ffff\xe9"


def make_space(sources, **settings):
    return FeatureSpace([(7, [(0, 0)])], sources, **settings)


def assemble(space, words):
    """Attributes of the words; each is named by its place in the list of types."""
    types = list(dict.fromkeys(words))
    orths = [[types.index(word)] for word in words]
    return space.assemble(np.array(orths, np.uint64).reshape(-1, 1), types.__getitem__)


@pytest.mark.parametrize("word", ["", "a", "ab", "chunking", EMOJI, "\xdf\u0131\u0130"])
@pytest.mark.parametrize("length", LENGTHS)
def test_lexemes_affixes_are_hashes_of_slices(word, length):
    sources = [("lexical", PREFIX, length, None), ("lexical", SUFFIX, length, None)]
    prefix, suffix = assemble(make_space(sources), [word])[0].tolist()
    assert prefix == text_hash(word[:length])
    assert suffix == text_hash(word[-length:])


@given(st.lists(st.text(max_size=7), max_size=8))
def test_lexemes_equal_twin(words):
    sources = [("lexical", PREFIX, 2, None), ("lexical", COMPUTED, 0, str.upper)]
    found = assemble(make_space(sources), words).tolist()
    assert found == [[text_hash(w[:2]), text_hash(w.upper())] for w in words]


def test_lexemes_function_is_called_once_per_word_type():
    calls = []

    def remember(text):
        calls.append(text)
        return text

    space = make_space([("lexical", COMPUTED, 0, remember)])
    assemble(space, ["a", "b", "a"])
    assemble(space, ["a", "b", "b"])
    assert calls == ["a", "b"]


def test_lexemes_stand_beside_columns():
    sources = [("column", 1), ("lexical", PREFIX, 1, None), ("column", 0)]
    values = np.array([[5, 50], [6, 60]], dtype=np.uint64)
    attrs = make_space(sources).assemble(values, {5: "xa", 6: "yb"}.__getitem__)
    assert attrs.tolist() == [[50, text_hash("x"), 5], [60, text_hash("y"), 6]]
    # The host names the empty string 0, and a word that is also a symbol by its number.
    space = make_space([("lexical", COMPUTED, 0, str)])
    values = np.array([[0], [1]], dtype=np.uint64)
    attrs = space.assemble(values, {0: "", 1: "IS_ALPHA"}.__getitem__)
    assert attrs[:, 0].tolist() == [text_hash(""), text_hash("IS_ALPHA")]
    with pytest.raises(IndexError):
        make_space([("column", 3)]).assemble(np.ones((2, 2), dtype=np.uint64), str)


def test_lexemes_beyond_the_limit_are_computed_anew():
    space = make_space([("lexical", COMPUTED, 0, str)], lexeme_limit=10)
    for first in range(0, 100, 7):
        words = [str(number) for number in range(first, first + 7)]
        values = np.array([[int(word)] for word in words], dtype=np.uint64)
        attrs = space.assemble(values, str)
        assert attrs[:, 0].tolist() == [text_hash(word) for word in words]


def test_lexemes_failing_function_leaves_no_half_lexeme():
    def refuse_b(text):
        if text == "b" and refuse_b.refusing:
            raise RuntimeError(text)
        return text

    refuse_b.refusing = True
    sources = [("lexical", PREFIX, 1, None), ("lexical", COMPUTED, 0, refuse_b)]
    space = make_space(sources)
    with pytest.raises(RuntimeError):
        assemble(space, ["a", "b", "c"])
    refuse_b.refusing = False
    found = assemble(space, ["a", "b", "c"])
    assert found[:, 1].tolist() == [text_hash(word) for word in "abc"]


def test_lexemes_survive_a_function_that_looks_up_the_same_word():
    # What another thread does when the interpreter switches inside the function.
    space = make_space([("lexical", COMPUTED, 0, str)])
    words = {1: "one", 2: "two", 3: "three"}

    def lookup(orth):
        if not lookup.nested:
            lookup.nested = True
            space.assemble(np.array([[orth]], dtype=np.uint64), lookup)
        return words[orth]

    lookup.nested = False
    attrs = space.assemble(np.array([[1], [2], [3]], dtype=np.uint64), lookup)
    assert attrs[:, 0].tolist() == [text_hash(word) for word in words.values()]


def test_lexemes_of_a_vocabulary_are_those_of_a_function():
    strings = StringStore(["unhappiness", "a", "\u00e9t\u00e9"])
    values = np.array([[strings[word]] for word in strings], dtype=np.uint64)
    sources = [("lexical", SUFFIX, 3, None), ("lexical", COMPUTED, 0, str.upper)]
    found = make_space(sources).assemble(values, strings.__getitem__)
    expected = make_space(sources).assemble(values, lambda orth: strings[orth])
    assert found.tolist() == expected.tolist()
    with pytest.raises(KeyError):
        make_space(sources).assemble(values + np.uint64(1), strings.__getitem__)
