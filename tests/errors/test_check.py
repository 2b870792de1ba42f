"""The validator of settings: what it refuses, and how it finds the place."""

import math
from functools import partial

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

BAD = [
    (check_choice, ("c", ("a", "b")), "LP085.*x must be one of a, b, not 'c'"),
    (check_choice, ([], ("a", "b")), r"LP085.*x must.*not \[\]"),
    (check_count, (0,), "LP086.*x must be an integer of 1 or more, not 0"),
    (partial(check_count, low=2, high=5), (9,), "LP086.*from 2 to 5"),
    (check_count, (2**31,), "LP086.*from 1 to 2147483647"),
    (check_count, ("3",), "LP086.*x must.*not '3'"),
    (check_count, (2.5,), "LP086"),
    (check_count, (True,), "LP086"),
    (partial(check_count, hint="default 3"), (0,), r"more \(default 3\), not 0\.$"),
    (partial(check_number, high=1), (2,), "LP015.*from 0 to 1"),
    (check_number, (math.nan,), "LP015.*x must.*of 0 or more, not nan"),
    (check_number, (math.inf,), "LP015"),
    (check_number, (10**400,), "LP015"),
    (check_positive, (0,), "LP015.*above 0"),
    (partial(check_positive, zero=True), (-1,), "LP015.*of 0 or more"),
    (check_flag, (1,), "LP590.*x must be true or false, not 1"),
    (check_flag, ("\ud800" * 99,), r"LP590.*ud800.*\.\.\.\.$"),
    (check_strings, ("ab",), "LP590.*x must.*list of strings, not 'ab'"),
    (check_block, ({}, int, "Beam"), "LP590.*spacy_latperc.Beam"),
]


@pytest.mark.parametrize(("check", "given", "message"), BAD)
def test_check_refuses(check, given, message):
    with pytest.raises(ValueError, match=message):
        check("x", *given)
    with pytest.raises(ValueError, match="LP086.*seed must.*not -1"):
        check_seed(-1)


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
    reader = {"@readers": "spacy_latperc.ColumnCorpus.v1", "path": "x"}
    reader["columns"] = "word"
    corpora = {"train": reader, "dev": {**reader, "part": "dev"}}
    config = spacy.language.DEFAULT_CONFIG.merge({"corpora": corpora})
    with pytest.raises(ValueError, match=r"LP085\] corpora\.dev\.part must.*not 'dev'"):
        with locate_settings(config):
            resolve_dot_names(config, ["corpora.dev"])


def test_check_names_the_path_when_fit_reads_a_config():
    """And the setting alone outside of any config."""
    learner = {"@misc": "spacy_latperc.MIRA.v1", "n": 0}
    components = {x: {"factory": "latperc_tagger"} for x in "ab"}
    components["b"]["model"] = {"learner": learner}
    nlp = {"lang": "xx", "pipeline": ["a", "b"]}
    config = Config({"nlp": nlp, "components": components})
    with pytest.raises(ValueError, match=r"components\.b\.model\.learner\.n must.* 0"):
        fit(config)
    with pytest.raises(ValueError, match=r"^\[LP086\] n must.*not 0"):
        check_count("n", 0)
