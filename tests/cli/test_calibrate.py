"""`spacy latperc calibrate`: figures, files, and a pipeline that is saved whole."""

import json
import shutil
from pathlib import Path

import pytest
import spacy
from builders.sample import SAMPLE, few_sentences
from project_files import ROOT
from spacy.cli.find_threshold import find_threshold
from spacy.cli.train import train
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_latperc.calibration import Calibration
from spacy_latperc.cli import latperc_cli
from spacy_latperc.data.conversion import convert
from spacy_latperc.training.fit import fit

OVERRIDES = few_sentences(40, 80, epochs=2)

pytestmark = pytest.mark.filterwarnings("ignore:.*LP915")


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    """A chunker of little training, so that it makes mistakes."""
    path = tmp_path_factory.mktemp("trained")
    fit(load_config(ROOT / "configs" / "chunker.cfg", overrides=OVERRIDES)).to_disk(
        path
    )
    return path


@pytest.fixture
def model(trained, tmp_path) -> Path:
    return Path(shutil.copytree(trained, tmp_path / "model"))


def run(*arguments) -> tuple[int, str]:
    result = CliRunner().invoke(latperc_cli, ["calibrate", *map(str, arguments)])
    return result.exit_code, " ".join(result.output.split())


def calibration(path: Path) -> Calibration:
    return spacy.load(path).get_pipe("chunker").calibration


def contents(path: Path) -> dict[str, bytes]:
    return {
        str(x.relative_to(path)): x.read_bytes() for x in path.rglob("*") if x.is_file()
    }


def test_calibrate_reports_and_writes_figures_of_other_data_too(model, tmp_path):
    figures = tmp_path / "out" / "ece.json"
    code, printed = run(model, "--json", figures)
    assert code == 0
    data = json.loads(figures.read_text())
    assert f"after {data['after']['ece']:.4f}" in printed
    assert data["after"]["ece"] < data["before"]["ece"]
    assert f"temperature {data['calibration']['temperature']:.4g}" in printed
    test = ("--test", SAMPLE / "test.txt")
    assert run(model, "corpora.dev", *test, "--json", figures)[0] == 0
    on_test = json.loads(figures.read_text())
    assert on_test["calibration"] == data["calibration"]
    assert on_test["gold"] != data["gold"]


def test_calibrate_changes_the_settings_of_the_component_alone(model):
    before = contents(model)
    code, printed = run(model, SAMPLE / "dev.txt")
    assert code == 0 and "Set scores = \"marginal\" for 'chunker'" in printed
    after = contents(model)
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {str(Path("chunker") / "cfg"), "config.cfg"}
    assert after.keys() == before.keys()
    assert calibration(model) != Calibration()
    nlp = spacy.load(model)
    assert nlp.config["components"]["chunker"]["scores"] == "marginal"
    assert nlp.get_pipe("chunker").scores == "marginal"
    before = (model / "config.cfg").read_bytes()
    assert "Set scores" not in run(model)[1]
    assert (model / "config.cfg").read_bytes() == before


def test_calibrate_fits_the_recall_constant_that_is_asked_for(model, tmp_path):
    constants = []
    for options in (["--best-f"], ["--precision", 0.8], ["--recall", 0.74]):
        code, printed = run(model, *options, "--output", tmp_path / "fitted")
        assert code == 0, printed
        pipe = spacy.load(tmp_path / "fitted").get_pipe("chunker")
        constants.append(pipe.cfg["recall_constant"])
    assert constants[2] < constants[1]
    code, printed = run(model, "--precision", 1.5)
    assert code == 1 and "LP084" in printed


def test_calibrated_entities_have_scores_and_a_threshold_can_be_found(tmp_path):
    model, dev = tmp_path / "model", tmp_path / "dev.spacy"
    config = load_config(ROOT / "configs" / "ner.cfg", overrides=OVERRIDES)
    fit(config).to_disk(model)
    assert run(model)[0] == 0
    nlp = spacy.load(model)
    doc = nlp("Mr. Hale sleeps in Springfield .")
    assert doc.ents and all(0 < ent._.ent_score <= 1 for ent in doc.ents)
    convert(SAMPLE / "dev.txt", dev, columns=["word", "-", "-", "ent"])
    best, score, scores = find_threshold(
        str(model), dev, "ner", "threshold", "ents_p", n_trials=11
    )
    assert len(set(scores.values())) > 2
    assert score == scores[best] == max(scores.values())


def test_calibrate_saves_elsewhere_and_leaves_the_model(model, tmp_path):
    before = contents(model)
    target = tmp_path / "new" / "calibrated"
    for _ in range(2):  # the second time it replaces the first
        assert run(model, "--output", target)[0] == 0
    assert contents(model) == before
    assert contents(target).keys() == before.keys()
    assert calibration(target) != Calibration()
    assert [x.name for x in target.parent.iterdir()] == ["calibrated"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["MODEL", "--component", "tagger"], "LP081"),
        (["MODEL", "corpora.tset"], "LP320"),
        (["MODEL", "--output", "OCCUPIED"], "LP331"),
        (["OCCUPIED"], "LP330"),
        (["nowhere"], "LP330"),
    ],
)
def test_calibrate_fails_with_a_coded_message(model, tmp_path, arguments, message):
    occupied = tmp_path / "occupied"
    occupied.mkdir()
    (occupied / "letter.txt").write_text("mine")
    names = {"MODEL": model, "OCCUPIED": occupied}
    before = contents(tmp_path)
    code, printed = run(*(names.get(x, x) for x in arguments))
    assert code == 1
    assert message in printed
    assert contents(tmp_path) == before


@pytest.mark.parametrize("corpus", [None, "corpora.dev"])
def test_calibrate_when_training_saves(tmp_path, corpus):
    config = load_config(ROOT / "configs" / "chunker.cfg", overrides=OVERRIDES)
    config["training"]["before_to_disk"] = {
        "@callbacks": "spacy_latperc.Calibrate.v1",
        "corpus": corpus,
    }
    config["components"]["chunker"]["scores"] = "marginal"
    config.to_disk(tmp_path / "config.cfg")
    train(tmp_path / "config.cfg", tmp_path / "out")
    for name in ("model-best", "model-last"):
        assert calibration(tmp_path / "out" / name) != Calibration()
