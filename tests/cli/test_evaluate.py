"""`spacy latperc evaluate`: scores through the reader of the config."""

import json

import pytest
import spacy
from builders.sample import SAMPLE, sample_paths
from project_files import ROOT
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.data.conversion import convert
from spacy_latperc.training.fit import fit

TEST = SAMPLE / "test.txt"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A chunker that was trained with tags as its input."""
    overrides = {
        **sample_paths(),
        "corpora.train.limit": 300,
        "training.max_epochs": 3,
        "corpora.dev.part": "held_out",
    }
    config = load_config(ROOT / "configs" / "chunker.cfg", overrides=overrides)
    path = tmp_path_factory.mktemp("model")
    fit(config).to_disk(path)
    return path


@pytest.fixture
def run(tmp_path):
    """Run the command. RETURNS: exit code, what it printed, the scores."""

    def evaluate(*arguments):
        output = tmp_path / "metrics" / "scores.json"
        result = CliRunner().invoke(
            latperc_cli, ["evaluate", *map(str, arguments), "--output", str(output)]
        )
        scores = json.loads(output.read_text()) if output.exists() else None
        return result.exit_code, " ".join(result.output.split()), scores

    return evaluate


def test_evaluate_reads_the_development_corpus_or_another_file(run, model, tmp_path):
    code, _, scores = run(model)
    assert (code, scores["docs"]) == (0, 200 // 10)
    assert scores["chunks_f"] > 0.9
    code, printed, scores = run(model, TEST)
    assert (code, scores["docs"], scores["tokens"]) == (0, 200, 2576)
    assert scores["chunks_f"] > 0.9
    assert f"chunks NP {100 * scores['chunks_per_type']['NP']['p']:.2f}" in printed
    assert scores["tokens_per_second"] > 1 and "speed" not in scores
    assert f"{scores['tokens_per_second']:,.0f} tokens/s" in printed
    assert [x.name for x in (tmp_path / "metrics").iterdir()] == ["scores.json"]


def test_evaluate_gives_other_files_the_same_inputs(run, model, tmp_path):
    _, _, wanted = run(model, TEST)
    path = tmp_path / "test.spacy"
    convert(TEST, path, columns=["word", "tag", "chunk"])
    _, _, scores = run(model, path)
    speed = {"tokens_per_second": wanted["tokens_per_second"]}
    assert scores | speed == wanted


def test_evaluate_reads_exports(run, model, tmp_path):
    path = tmp_path / "test.jsonl"
    path.write_text(json.dumps({"text": "Ada met Bob", "label": [[0, 3, "P"]]}))
    with pytest.warns(UserWarning, match="LP911"):
        code, printed, _ = run(model, path)
    assert code == 1 and "LP325" in printed  # it has no chunks


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["corpora.tset"], "LP320"),
        (["nothing.txt"], "LP101"),
    ],
)
def test_evaluate_fails_with_a_coded_message(run, model, arguments, message):
    code, printed, scores = run(model, *arguments)
    assert (code, scores) == (1, None)
    assert message in printed


def test_evaluate_refuses_a_corpus_without_documents_and_a_missing_model(
    run, model, tmp_path
):
    path = tmp_path / "empty.spacy"
    spacy.tokens.DocBin().to_disk(path)
    with pytest.warns(UserWarning, match="LP901"):
        code, printed, _ = run(model, path)
    assert code == 1
    assert "LP324" in printed
    code, printed, _ = run("no_such_model")
    assert code == 1
    assert "E050" in printed
