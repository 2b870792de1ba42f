"""Errors of a config are reported before they cost something."""

import warnings

import pytest
import spacy
from builders.sample import few_sentences
from project_files import ROOT
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.training.check_config import check_given
from spacy_latperc.training.fit import fit, fit_and_save

SMALL = few_sentences(40, 20, epochs=2, every=1)


def config(**more):
    return load_config(ROOT / "configs" / "ner.cfg", overrides={**SMALL, **more})


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("training.eval_frequency", 0, r"LP086\] training.eval_frequency must.*not 0"),
        ("training.seed", "x", r"LP590\] training.seed must.*not 'x'"),
        ("training.batcher.size", 0, r"LP779.*\[training.batcher\]"),
        (
            "training.frozen_components",
            ["ner"],
            r"LP570.*frozen_components is \['ner'\]",
        ),
        ("corpora.train.limit", -3, r"LP086\] corpora.train.limit must.*not -3"),
    ],
)
def test_fit_refuses_settings_that_cannot_work(setting, value, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        fit_and_save(config(**{setting: value}), tmp_path / "out", quiet=True)
    assert not (tmp_path / "out").exists()


WEIGHTS = {"ents_x": 1.0, "ents_f": 0.5, "ents_p": 0.0, "speed_of_light": None}


@pytest.mark.filterwarnings("ignore:.*LP916")
@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("trainin", {"max_epochs": 7}, r"LP932.*\[trainin\].*'training'"),
        ("components.tagger", {"factory": "latperc_tagger"}, r"LP933.*\['ner'\]"),
        ("training.score_weights", WEIGHTS, "LP934.*'ents_x'.*ents_f"),
        ("corpora.dev.columns", ["word", "-", "-", "-"], r"LP937.*\(ner\)"),
    ],
)
def test_fit_warns_of_settings_that_do_nothing(tmp_path, place, value, message):
    given = config()
    given["my_own"] = {"depth": 3}  # which functions of one's own may read
    *sections, name = place.split(".")
    block = given
    for section in sections:
        block = block[section]
    block[name] = value
    with pytest.warns(UserWarning, match=message) as told:
        fit_and_save(given, tmp_path, quiet=True)
    codes = [str(each.message)[1:6] for each in told]
    # LP916 says what a pipeline goes without where there is no annotation.
    assert [code for code in codes if code != "LP916"] == [message[:5]]


def test_fit_warns_when_model_best_has_seen_one_batch_and_refuses_none(tmp_path):
    rare, often = (config(**{"training.eval_frequency": n}) for n in (200, 2))
    with pytest.warns(UserWarning, match=r"LP935.*first of 4 batches.*to 2, which"):
        fit_and_save(rare, tmp_path / "rare", quiet=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit_and_save(often, tmp_path / "often", quiet=True)
    with pytest.raises(ValueError, match="LP779"):
        fit(config(**{"training.batcher.size": 0}))


def test_fit_and_evaluate_warn_of_components_that_are_given_their_answers(tmp_path):
    given = config(**{"corpora.dev.columns": ["word", "tag", "-", "ent"]})
    given["corpora"]["dev"]["inputs"] = ["tag", "ent"]
    with pytest.warns(UserWarning, match="LP936.*'ner' keeps .* 'ent'") as told:
        fit_and_save(given, tmp_path, quiet=True)
    assert len(told) == 1
    command = ["evaluate", str(tmp_path / "model-last")]
    with pytest.warns(UserWarning, match="LP936"):
        assert CliRunner().invoke(latperc_cli, command).exit_code == 0


def test_given_answers_matter_where_they_are_kept():
    for factory, settings, warned in (
        ("latperc_tagger", {}, True),
        ("latperc_tagger", {"overwrite": True}, False),
        ("latperc_tagger", {"attribute": "pos"}, False),
        ("latperc_ner", {}, False),
    ):
        nlp = spacy.blank("en")
        nlp.add_pipe(factory, config=settings)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            check_given(nlp, {"inputs": ["tag"]})
        assert len(told) == warned
