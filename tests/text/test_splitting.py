"""Sentences of running text."""

from spacy_latperc.text.splitting import BREAK, with_breaks


def split(text):
    return [part.split() for part in " ".join(with_breaks(text.split())).split(BREAK)]


def test_with_breaks_divides_after_marks_and_what_closes():
    assert split("It rains . Go ! Where ?") == [
        ["It", "rains", "."],
        ["Go", "!"],
        ["Where", "?"],
    ]
    assert split('He said " go . " She went ( so ) .') == [
        ["He", "said", '"', "go", ".", '"'],
        ["She", "went", "(", "so", ")", "."],
    ]


def test_with_breaks_knows_marks_of_other_scripts():
    assert split("雨 です 。 行く 。") == [["雨", "です", "。"], ["行く", "。"]]


def test_with_breaks_leaves_numbers_and_short_forms():
    assert split("Mr. A paid .5 of it") == [["Mr.", "A", "paid", ".5", "of", "it"]]
    assert split("so ... yes") == [["so", "..."], ["yes"]]


def test_with_breaks_of_nothing():
    assert with_breaks([]) == []
