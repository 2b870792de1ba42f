"""The validator of settings: what it refuses, and how it names the place."""

import math

import pytest
import spacy
from spacy.training.initialize import init_nlp
from spacy.util import resolve_dot_names

from spacy_latperc.errors.check import (
    check_block,
    check_choice,
    check_count,
    check_flag,
    check_number,
    check_positive,
    check_seed,
    check_strings,
)

BAD = {
    "a choice": (lambda: check_choice("x", "c", ("a", "b")), "LP085.*x is 'c'.*a, b"),
    "no string": (lambda: check_choice("x", [], ("a", "b")), r"LP085.*x is \[\]"),
    "a count": (
        lambda: check_count("x", 0),
        "LP086.*x is 0.*whole number of 1 or more",
    ),
    "a range": (lambda: check_count("x", 9, low=2, high=5), "LP086.*from 2 to 5"),
    "a count too high": (
        lambda: check_count("x", 2**31),
        "LP086.*from 1 to 2147483647",
    ),
    "a count of text": (lambda: check_count("x", "3"), "LP086.*x is '3'"),
    "a count of halves": (lambda: check_count("x", 2.5), "LP086"),
    "a count that is true": (lambda: check_count("x", True), "LP086"),
    "a seed": (lambda: check_seed(-1), "LP086.*seed is -1"),
    "a number": (lambda: check_number("x", 2, high=1), "LP015.*from 0 to 1"),
    "no number": (lambda: check_number("x", math.nan), "LP015.*x is nan.*of 0 or more"),
    "infinity": (lambda: check_number("x", math.inf), "LP015"),
    "what no float holds": (lambda: check_number("x", 10**400), "LP015"),
    "zero": (lambda: check_positive("x", 0), "LP015.*above 0"),
    "below zero": (lambda: check_positive("x", -1, zero=True), "LP015.*of 0 or more"),
    "a flag": (lambda: check_flag("x", 1), "LP590.*x is 1. It must be true or false"),
    "strings": (lambda: check_strings("x", "ab"), "LP590.*x is 'ab'.*list of strings"),
    "a block": (lambda: check_block("x", {}, int, "Beam"), "LP590.*spacy_latperc.Beam"),
    "advice": (lambda: check_count("x", 0, advice="Or not."), "1 or more. Or not.$"),
    "a long value": (
        lambda: check_flag("x", "\ud800" * 99),
        r"LP590.*ud800.*\.\.\. It",
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


LEARNER = {"@misc": "spacy_latperc.PassiveAggressive.v1"}
BEAM = {"@misc": "spacy_latperc.Beam.v1"}


@pytest.mark.parametrize(
    ("config", "path"),
    [
        ({"model": {"learner": {**LEARNER, "C": -1.0}}}, "model.learner.C is -1.0"),
        ({"model": {"learner": {**LEARNER, "average": "x"}}}, "model.learner.average"),
        ({"model": {"learner": {**LEARNER, "pull": -1.0}}}, "model.learner.pull"),
        ({"model": {"search": {**BEAM, "width": 0}}}, "model.search.width is 0"),
        ({"model": {"latent": 0}}, "model.latent is 0"),
        ({"model": {"search": LEARNER}}, "model.search is LearnerSettings"),
        ({"threshold": -3.0}, "threshold is -3.0"),
    ],
)
def test_check_names_the_path_in_the_config_of_a_component(config, path):
    with pytest.raises(ValueError, match=rf"^\[LP\d+\] components\.mine\.{path}"):
        spacy.blank("xx").add_pipe("latperc_ner", name="mine", config=config)


def corpora(**settings):
    reader = {
        "@readers": "spacy_latperc.ColumnCorpus.v1",
        "path": "x",
        "columns": "word",
    }
    return {
        "nlp": {"lang": "xx", "pipeline": []},
        "components": {},
        "corpora": {"train": reader, "dev": {**reader, **settings}},
    }


def test_check_names_the_path_of_a_corpus_among_others_of_its_kind():
    config = spacy.language.DEFAULT_CONFIG.merge(corpora(part="dev"))
    with pytest.raises(ValueError, match=r"LP085\] corpora\.dev\.part is 'dev'"):
        resolve_dot_names(config, ["corpora.dev"])


def test_check_names_the_path_when_a_whole_config_is_read():
    config = corpora()
    bad = {"@misc": "spacy_latperc.MIRA.v1", "n": 0}
    config["nlp"]["pipeline"] = ["a", "b"]
    config["components"] = {
        "a": {"factory": "latperc_tagger"},
        "b": {"factory": "latperc_tagger", "model": {"learner": bad}},
    }
    with pytest.raises(ValueError, match=r"components\.b\.model\.learner\.n is 0"):
        init_nlp(spacy.language.DEFAULT_CONFIG.merge(config))


def test_check_names_the_setting_alone_outside_of_any_config():
    with pytest.raises(ValueError, match=r"^\[LP086\] n is 0"):
        check_count("n", 0)
