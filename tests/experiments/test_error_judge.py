"""What the judge of errors is measured with, in miniature."""

import gzip

import numpy as np
import pytest
from builders.text import lines, read_lines

from experiments.error_judge import (
    changed_tokens,
    choose,
    learner_pairs,
    local_pairs,
    preferred,
    read_columns,
    remembered,
    shares_flagged,
    show,
)
from spacy_latperc.grammaticality.corruption.corrupt import Corrupter, CorruptSettings
from spacy_latperc.knowledge.lexicon import Lexicon
from spacy_latperc.text.sentences import Sentences


def by_length(rows):
    return np.array([float(len(words)) for words in rows])


def test_columns_of_both_corpora(tmp_path):
    (tmp_path / "test.tsv").write_text(
        "# sent_id = 1\n1\tA b\tDET\tDT\t_\n2\tcat\tNOUN\tNN\t_\n\n1\tNo\tX\tUH\t_\n"
    )
    with gzip.open(tmp_path / "train.txt.gz", "wt") as file:
        file.write("# # B-NP\ncat NN I-NP\n\n")
    assert read_columns(tmp_path / "test.tsv") == [
        (["Ab", "cat"], ["DT", "NN"]),
        (["No"], ["UH"]),
    ]
    assert read_columns(tmp_path / "train.txt.gz") == [(["#", "cat"], ["#", "NN"])]


def test_sentences_are_held_out_of_what_is_counted():
    text = read_lines(*(f"w{n} a b c d" for n in range(900)))
    bounds = [text.slice(0, 300), text.slice(300, 600), text.slice(600, 900)]
    parts = [Sentences(text.vocabulary, x.ids, x.bounds) for x in bounds]
    held_out, train, rest = choose(parts, 300)
    assert len(held_out) + len(rest) == 900
    assert not set(map(tuple, held_out)) & {*map(tuple, rest), *map(tuple, train)}


def test_shares_of_pairs():
    learners = [[["a"], ["b", "c"]], [["a", "a"], ["b"]], [["a"], ["b", "c", "d"]]]
    assert learner_pairs(by_length, learners) == pytest.approx(2 / 3)
    assert preferred(by_length, [(["a", "b"], ["a"]), (["a"], ["b"])]) == 0.75


def test_tokens_that_two_corrections_change():
    words = "he walk to home .".split()
    corrections = [
        "he walks home .".split(),
        "he walked home .".split(),
        "then he walk to home .".split(),
    ]
    assert changed_tokens(words, corrections).tolist() == [
        False,
        True,
        True,
        False,
        False,
    ]


def test_local_pairs_have_one_length():
    rows = [line.split() for line in lines()]
    shares = {"small": 0.5, "order": 0.5}
    corrupter = Corrupter(
        Lexicon(read_lines(*lines()), small_words=6),
        CorruptSettings(shares=shares, most=1),
    )
    pairs = local_pairs(corrupter, rows)
    assert len(pairs) > 100
    assert all(len(good) == len(bad) and good != bad for good, bad in pairs)


def test_shares_flagged_and_what_is_remembered():
    asked = []

    def judge(rows):
        asked.append(len(rows))
        return by_length(rows)

    texts = {
        "first": [["a"] * n for n in range(1, 101)],
        "short": [["a"]],
        "long": [["a"] * 9],
    }
    once = remembered(judge)
    for _ in range(2):
        found = shares_flagged(once, texts)
    assert found == {"first": 0.05, "short": 1.0, "long": 0.0}
    assert asked == [100, 1, 1]


def test_figures_are_shown(capsys):
    judge = {"JFLEG": 0.8, "flagged": {"held out": 0.05}}
    show({"judges": {"errors": judge}, "tokens": {"auc": 0.7}, "weight": 5.0})
    printed = capsys.readouterr().out
    assert "0.800" in printed
    assert "5.0" in printed
