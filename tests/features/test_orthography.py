"""The table of spelling classes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.features.attributes import orthography_class

TABLE = {
    "space": [" ", "\n", "\t \u3000"],
    "roman": ["I", "II", "IV", "VIII", "IX", "XXXIX"],
    "greek": ["alpha", "Beta", "KAPPA", "omega", "\u03b1", "\u0394\u03c8"],
    "greek-compound": [
        "NF-kappa-B",
        "TGF-beta1"[:-1],
        "alpha-2",
        "p53\u03b2",
        "\u03b1-actin",
    ],
    "digits": ["0", "1984", "\u0664"],
    "number": ["3.14", "1,000", "-7", "+1", "12:30", "1/2", "5."],
    "ordinal": ["1st", "22ND", "3rd", "80s"],
    "hyphen-digit": ["IL-2", "interleukin-12"],
    "digit-hyphen": ["5-lipoxygenase", "12-year"],
    "hyphen": ["T-cell", "so-called", "up-to-date"],
    "initial": ["J.", "X."],
    "initials": ["U.S.", "J.R.R."],
    "capitals-digits": ["CD28", "B12", "H2O"],
    "letters-digits": ["p53", "CD28a", "2x"],
    "at-sign": ["@user", "#tag_1"],
    "lower": ["word", "a", "\xe9t\xe9", "\xdf"],
    "capital": ["A", "Z", "\xc9"],
    "capitals": ["NATO", "DNA", "\xc9T\xc9"],
    "title": ["Word", "Paris", "\xc9t\xe9"],
    "mixed": ["iPhone", "mRNA", "eBay"],
    "mixed-title": ["McDonald", "DNAs", "YouTube"],
    "caseless": ["\u4e2d\u56fd", "\u05e9\u05dc\u05d5\u05dd", "\u0e44\u0e17"],
    "punctuation": [".", "--", "(", "\u2026", ""],
    "other-title": ["A&B", "Mr.", "O'Neil"],
    "other": ["n't", "'s", "$5", "a.m."],
}


@pytest.mark.parametrize("expected", TABLE)
def test_orthography_table(expected):
    found = {word: orthography_class(word) for word in TABLE[expected]}
    assert found == dict.fromkeys(found, expected)


@given(st.text(max_size=8))
def test_orthography_every_word_has_a_class_of_the_table(word):
    assert orthography_class(word) in TABLE


def test_orthography_does_not_take_time_that_grows_without_bounds():
    # A pattern that backtracks would not come back from these.
    for word in ("a-" * 5000, "A." * 5000 + "x", "1," * 5000 + "x", "x1" * 5000 + "-"):
        assert orthography_class(word) in TABLE
