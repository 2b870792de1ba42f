"""Spelling classes in the kernel, beside those of the patterns."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.features.orthography import orthography_class
from spacy_latperc.kernels.chains import spelling_class

LATIN = [chr(c) for c in range(0x370)]
# One or two of each kind of character that a pattern tells from others.
KINDS = "IVXABabst019-_.,:/+@#'$ \n\x1d\xe9\xc9\xaa\u01c5\xb2\u03b1\u4e2d"
PIECES = ["alpha", "Beta", "PI", "xi", "IX", "VIII", "XL", "st", "nd", "RD", "s"]
PIECES += ["th", "-", "_", ".", "12", "3", "a", "B", "+", "@", "#"]
PIECES += ["\xf1", "\u017f", "\u0131"]


def check(word):
    found = spelling_class(word)
    assert found in (None, orthography_class(word)), word


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_spelling_of_all_short_words_is_that_of_the_patterns(n):
    for word in map("".join, product(KINDS, repeat=n)):
        check(word)


def test_spelling_of_all_pairs_of_latin_characters_is_that_of_the_patterns():
    for character in LATIN:
        for other in "aZ1-\xe9\xc9\u01c5\u0130\u0131\u0149":
            check(character + other)
            check(other + character)


@given(st.lists(st.sampled_from(PIECES), max_size=6).map("".join))
def test_spelling_of_words_of_pieces_is_that_of_the_patterns(word):
    check(word)


@given(st.text(st.sampled_from("IVX"), max_size=8))
def test_spelling_of_roman_numerals_is_that_of_the_patterns(word):
    check(word)


@given(st.text(max_size=12) | st.text(st.characters(max_codepoint=0x36F), max_size=9))
def test_spelling_of_any_word_is_that_of_the_patterns(word):
    check(word)


def test_spelling_is_known_of_all_words_of_printable_ascii():
    for word in map("".join, product("Ix0-_.'", repeat=4)):
        assert spelling_class(word) == orthography_class(word)


def test_spelling_does_not_take_time_that_grows_without_bounds():
    for word in ("a-" * 5000, "A." * 5000 + "x", "1," * 5000 + "x", "alpha_" * 5000):
        check(word)
