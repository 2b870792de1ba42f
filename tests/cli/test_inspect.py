"""`latperc inspect` and `latperc explain`."""

import json

import pytest
import spacy
from builders.pipelines import TEXTS, make_trained
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.report.page import Subject, write_report


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model")
    make_trained("latperc_tagger", "latperc_ner").to_disk(path)
    return path


def run(*arguments, code=0):
    result = CliRunner().invoke(latperc_cli, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def test_explain_shows_sums(model, tmp_path):
    output = tmp_path / "why.json"
    arguments = ["-c", "latperc_ner", "-n", "2", "--json", output]
    shown = run("explain", model, "Yesterday Ada Lovelace met", *arguments)
    found = json.loads(output.read_text())["explanations"]
    assert found
    for each in found:
        assert each["chosen"] != "O"
        assert f"{each['text']}: {each['chosen']}, not {each['rejected']}" in shown
        total = sum(weight for *_, weight in each["features"]) + each["transitions"]
        assert total == pytest.approx(each["margin"], abs=1e-4)


def test_token_and_label_can_be_chosen(model):
    arguments = ["-c", "latperc_tagger", "-t", "1", "-l", "VBD"]
    assert "not VBD" in run("explain", model, "Ada met her", *arguments)
    assert "LP649" in run(
        "explain", model, "Ada", "-c", "latperc_ner", "-t", "7", code=1
    )


def test_inspect_finds_texts_in_data(model, tmp_path):
    data = tmp_path / "data.txt"
    data.write_text("Ada NNP\nmet VBD\nhim PRP\n")
    output = tmp_path / "top.json"
    arguments = ["-c", "latperc_tagger", "--json", output]
    config = "--help"
    assert "largest weights" in " ".join(run("inspect", config).split())
    shown = run("inspect", model, *arguments)
    assert "NNP" in shown
    assert "LP938" in shown
    found = json.loads(output.read_text())
    assert set(found) == {"features", "transitions", "n_features", "states"}


def test_component_must_be_named(model):
    assert "LP866" in run("explain", model, "x", code=1)
    assert "LP866" in run("inspect", model, code=1)


def test_inspect_reads_the_names_beside_a_model(model, tmp_path, capfd):
    nlp = spacy.load(model)
    docs = [nlp(text) for text in TEXTS]
    nlp.to_disk(tmp_path / "model-best")
    subject = Subject(nlp, "tags", "test data", docs, docs)
    write_report(tmp_path / "report.html", subject)
    names = json.loads((tmp_path / "names.json").read_text())
    assert "word[0]=London" in names.values()
    arguments = ["-c", "latperc_tagger", "-n", "3"]
    shown = run("inspect", tmp_path / "model-best", *arguments)
    assert "LP938" not in shown and "#" not in shown
    subject.with_text = False
    write_report(tmp_path / "report.html", subject)
    assert not (tmp_path / "names.json").exists()
    assert "LP938" in run("inspect", tmp_path / "model-best", *arguments)
