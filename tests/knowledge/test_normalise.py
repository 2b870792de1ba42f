"""The forms under which a word is looked up."""

import pytest

from spacy_latperc.knowledge.normalise import Normaliser


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("london", ["london", "London"]),
        ("LONDON", ["LONDON", "london", "London"]),
        ("B2B", ["B2B", "b2b", "B0B", "b0b", "B2b"]),
        ("http://www.x.org/y", ["<URL-x.org>", "<URL>", "Http://www.x.org/y"]),
        ("@Ada", ["@Ada", "@ada", "<@MENTION>", "<USER>"]),
        (
            "Anglo-Saxon",
            ["Anglo-Saxon", "anglo-saxon", "Anglo-saxon", "Saxon", "saxon"],
        ),
        ("#London", ["#London", "#london", "London", "london"]),
        ("@", ["@"]),
        ("-", ["-"]),
        ("", [""]),
    ],
)
def test_forms_of_a_word(word, forms):
    found = [form for form in Normaliser().forms(word) if form != word]
    assert list(dict.fromkeys(found)) == [form for form in forms if form != word]
    assert next(iter(Normaliser().forms(word))) == word


def test_nothing_but_the_word_where_all_is_off():
    plain = Normaliser(lower=False, digits="", classes=False, back_off=False)
    for word in ("LONDON", "1994", "http://x.org", "@Ada", "a-b", "#x"):
        assert list(plain.forms(word)) == [word]
