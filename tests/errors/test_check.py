"""The validator of settings: what it refuses, and how it finds the place."""

import math

import pytest
import spacy
from spacy.util import resolve_dot_names
from thinc.api import Config

from spacy_latperc.errors.check import (
    check_block,
    check_choice,
    check_count,
    check_flag,
    check_number,
    check_positive,
    check_seed,
    check_strings,
    locate_settings,
)
from spacy_latperc.training.fit import fit

BAD = {
    "a choice": (
        lambda: check_choice("x", "c", ("a", "b")),
        "LP085.*x must be one of a, b, not 'c'",
    ),
    "no string": (
        lambda: check_choice("x", [], ("a", "b")),
        r"LP085.*x must.*not \[\]",
    ),
    "a count": (
        lambda: check_count("x", 0),
        "LP086.*x must be an integer of 1 or more, not 0",
    ),
    "a range": (lambda: check_count("x", 9, low=2, high=5), "LP086.*from 2 to 5"),
    "a count too high": (
        lambda: check_count("x", 2**31),
        "LP086.*from 1 to 2147483647",
    ),
    "a count of text": (lambda: check_count("x", "3"), "LP086.*x must.*not '3'"),
    "a count of halves": (lambda: check_count("x", 2.5), "LP086"),
    "a count that is true": (lambda: check_count("x", True), "LP086"),
    "a seed": (lambda: check_seed(-1), "LP086.*seed must.*not -1"),
    "a number": (lambda: check_number("x", 2, high=1), "LP015.*from 0 to 1"),
    "no number": (
        lambda: check_number("x", math.nan),
        "LP015.*x must.*of 0 or more, not nan",
    ),
    "infinity": (lambda: check_number("x", math.inf), "LP015"),
    "what no float holds": (lambda: check_number("x", 10**400), "LP015"),
    "zero": (lambda: check_positive("x", 0), "LP015.*above 0"),
    "below zero": (lambda: check_positive("x", -1, zero=True), "LP015.*of 0 or more"),
    "a flag": (lambda: check_flag("x", 1), "LP590.*x must be true or false, not 1"),
    "strings": (
        lambda: check_strings("x", "ab"),
        "LP590.*x must.*list of strings, not 'ab'",
    ),
    "a block": (lambda: check_block("x", {}, int, "Beam"), "LP590.*spacy_latperc.Beam"),
    "a hint": (
        lambda: check_count("x", 0, hint="default 3"),
        r"more \(default 3\), not 0\.$",
    ),
    "a long value": (
        lambda: check_flag("x", "\ud800" * 99),
        r"LP590.*ud800.*\.\.\.\.$",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_check_refuses(what):
    run, message = BAD[what]
    with pytest.raises(ValueError, match=message):
        run()


def test_check_hands_on_what_is_good():
    assert check_choice("x", "a", {"a": 1}) == "a"
    assert check_count("x", 5, low=5, high=5) == 5
    assert check_number("x", 1, high=1) == 1.0
    assert check_seed(2**64 - 1) == 2**64 - 1
    assert check_flag("x", False) is False
    assert check_strings("x", ("a",)) == ["a"]


def test_check_locates_settings_in_a_config():
    config = {"components": {"mine": {"model": {"learner": {"C": -1.0}, "C": 1.0}}}}
    where = "components.mine.model.learner.C"
    with pytest.raises(ValueError, match=rf"^\[LP\d+\] {where} must.*not -1.0"):
        with locate_settings(config):
            check_positive("C", -1.0)


def test_check_locates_a_setting_of_a_corpus_among_others_of_its_kind():
    reader = {"@readers": "spacy_latperc.ColumnCorpus.v1", "path": "x"}
    reader["columns"] = "word"
    corpora = {"train": reader, "dev": {**reader, "part": "dev"}}
    config = spacy.language.DEFAULT_CONFIG.merge({"corpora": corpora})
    with pytest.raises(ValueError, match=r"LP085\] corpora\.dev\.part must.*not 'dev'"):
        with locate_settings(config):
            resolve_dot_names(config, ["corpora.dev"])


def test_check_names_the_path_when_fit_reads_a_config():
    bad = {"@misc": "spacy_latperc.MIRA.v1", "n": 0}
    config = Config(
        {
            "nlp": {"lang": "xx", "pipeline": ["a", "b"]},
            "components": {
                "a": {"factory": "latperc_tagger"},
                "b": {"factory": "latperc_tagger", "model": {"learner": bad}},
            },
        }
    )
    with pytest.raises(
        ValueError, match=r"components\.b\.model\.learner\.n must.*not 0"
    ):
        fit(config)


def test_check_names_the_setting_alone_outside_of_any_config():
    with pytest.raises(ValueError, match=r"^\[LP086\] n must.*not 0"):
        check_count("n", 0)
