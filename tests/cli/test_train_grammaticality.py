"""`spacy latperc train-grammaticality`: from sentences to a pipeline."""

import json
import re

import pytest
import spacy
from builders.grammaticality import (
    BAD,
    GOOD,
    REAL,
    SHUFFLED,
    make_config,
    make_examples,
)
from project_files import ROOT
from spacy.tokens import DocBin
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.grammaticality.array_trainer import ArrayTrainer
from spacy_latperc.grammaticality.component import LatpercGrammaticality
from spacy_latperc.grammaticality.labelled_docs import labelled_docs

C = ("--components.grammaticality.model.learner.C", "0.1")


def run(*arguments, expect=0):
    command = ["train-grammaticality", *map(str, arguments)]
    result = CliRunner().invoke(latperc_cli, command)
    assert result.exit_code == expect, result.output
    return result


@pytest.fixture
def docbin(tmp_path):
    nlp = spacy.blank("xx")
    docs = [example.reference for example in make_examples(nlp)]
    DocBin(docs=docs).to_disk(tmp_path / "train.spacy")
    return tmp_path / "train.spacy"


def tells_apart(folder):
    nlp = spacy.load(folder)
    good, bad = (
        [doc.cats[GOOD] for doc in nlp.pipe(texts)] for texts in (REAL, SHUFFLED)
    )
    return min(good) > 0.5 > max(bad)


def test_train_grammaticality_from_docs(docbin, tmp_path):
    output = tmp_path / "new" / "out"
    run(docbin, "-o", output, "--dev", docbin, "--words-only", *C)
    assert tells_apart(output)


def test_train_grammaticality_fits_probabilities(docbin, tmp_path):
    run(docbin, "-o", tmp_path / "out", "--dev", docbin, "--words-only", "-n", 1)
    pipe = spacy.load(tmp_path / "out").get_pipe("grammaticality")
    assert pipe.calibration.temperature < 1


def test_train_grammaticality_from_two_texts(tmp_path):
    for name, lines in (("good", REAL), ("bad", SHUFFLED)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    good, bad = tmp_path / "good", tmp_path / "bad"
    run(good, "--negatives", bad, "-o", tmp_path / "out", "--words-only", *C)
    assert tells_apart(tmp_path / "out")


def test_train_grammaticality_reads_text_with_a_mark_in_front(tmp_path):
    """The byte-order mark used to be a part of the first word."""
    (tmp_path / "good").write_bytes(b"\xef\xbb\xbfone two\r\n\nthree\n")
    (tmp_path / "bad").write_text("four")
    paths = tmp_path / "good", ("GOOD", "BAD")
    docs = labelled_docs(spacy.blank("xx"), *paths, negatives=tmp_path / "bad")
    found = [([token.text for token in doc], doc.cats["GOOD"]) for doc in docs]
    assert found == [(["one", "two"], 1), (["four"], 0), (["three"], 1)]


def test_train_grammaticality_names_lines_that_are_not_utf8(tmp_path):
    (tmp_path / "good").write_bytes(b"one two\ncaf\xe9\n")
    options = ("--negatives", tmp_path / "good", "-o", tmp_path / "out")
    result = run(tmp_path / "good", *options, "--words-only", expect=1)
    assert "LP102" in result.output and "line 2" in result.output


def test_train_grammaticality_from_json_by_a_config(tmp_path):
    sample = ROOT / "assets" / "sample"
    config = ROOT / "configs" / "grammaticality.cfg"
    if not config.exists():
        pytest.skip("the installed package is tested without its assets")
    train, dev = (sample / f"grammaticality-{part}.jsonl" for part in ("train", "dev"))
    log = tmp_path / "log.json"
    run(
        *(train, "--dev", dev, "-o", tmp_path / "out", "-c", config),
        *("--tags", "simple_tags", "--log", log, "-n", 4),
    )
    passes = json.loads(log.read_text())["passes"]
    assert [entry["number"] for entry in passes] == [1, 2, 3, 4]
    assert passes[-1]["loss"] < passes[0]["loss"]
    assert passes[-1]["auc"] > 0.65
    assert spacy.load(tmp_path / "out").pipe_names == ["grammaticality"]


def test_train_grammaticality_keeps_the_tagger(docbin, tmp_path):
    nlp = spacy.blank("xx")
    nlp.add_pipe("latperc_tagger")
    examples = make_examples(nlp)
    for example in examples:
        for token in example.reference:
            token.tag_ = token.text[0].upper()
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    nlp.to_disk(tmp_path / "tagger")
    before = nlp.get_pipe("latperc_tagger").model.to_bytes()
    run(docbin, "-o", tmp_path / "out", "--tagger", tmp_path / "tagger", *C)
    loaded = spacy.load(tmp_path / "out")
    assert loaded.pipe_names == ["latperc_tagger", "grammaticality"]
    assert loaded.get_pipe("latperc_tagger").model.to_bytes() == before
    assert tells_apart(tmp_path / "out")


def test_train_grammaticality_is_the_same_each_time(docbin, tmp_path):
    data = []
    for name in "ab":
        run(docbin, "-o", tmp_path / name, "--words-only", "-n", 2)
        data.append((tmp_path / name / "grammaticality" / "model").read_bytes())
    assert data[0] == data[1]


def test_train_grammaticality_refuses_tags_of_some(tmp_path):
    """The sample has the field "tags" for real sentences alone."""
    train = ROOT / "assets" / "sample" / "grammaticality-train.jsonl"
    result = run(train, "-o", tmp_path / "out", "-n", 1, expect=1)
    assert "LP474" in result.output and "--tags" in result.output


REFUSED = [
    ("LP471.*--negatives", "a.txt --words-only"),
    ("LP471", "train.spacy --words-only --dev a.txt"),
    ("LP120.*dev.spacy", "train.spacy --words-only --dev dev.spacy"),
    ("LP560", "train.spacy --words-only --log /dev/null/log.json"),
    ("LP473.*--words-only", "train.spacy"),
    ("LP346", "train.spacy -c a.cfg"),
    ("LP436", "good.spacy --words-only"),
    ("LP436", "bad.spacy --words-only"),
]


@pytest.mark.parametrize("message, words", REFUSED)
def test_train_grammaticality_refuses(docbin, tmp_path, monkeypatch, message, words):
    nlp = spacy.blank("xx")
    docs = [example.reference for example in make_examples(nlp)]
    DocBin(docs=docs[::2]).to_disk(tmp_path / "good.spacy")
    DocBin(docs=docs[1::2]).to_disk(tmp_path / "bad.spacy")
    (tmp_path / "dev.spacy").write_bytes(b"no Docs")
    (tmp_path / "a.txt").write_text("a b\n")
    config = '[components]\n[components.x]\nfactory = "latperc_tagger"\n'
    (tmp_path / "a.cfg").write_text(config)
    monkeypatch.chdir(tmp_path)
    result = run(*words.split(), "-o", "out", expect=1)
    assert re.search(message, result.output.replace("\n", " ")), result.output
    assert not (tmp_path / "out").exists()


def test_train_grammaticality_refuses_min_count_at_once(tmp_path, monkeypatch):
    """It used to read all of the corpus first."""
    config = ROOT / "configs" / "grammaticality.cfg"
    if not config.exists():
        pytest.skip("the installed package is tested without its assets")
    monkeypatch.setattr(ArrayTrainer, "train", None)
    result = run(
        *(config, "-o", tmp_path / "out", "-c", config, "--words-only"),
        *("--components.grammaticality.model.features.min_count", 2),
        expect=1,
    )
    assert "LP472" in result.output


def test_train_grammaticality_refuses_what_it_cannot_read_or_write(
    docbin, tmp_path, monkeypatch
):
    monkeypatch.setattr(ArrayTrainer, "train", None)
    options = (docbin, "-o", tmp_path / "out", "--words-only")
    run(*options, "--dev", tmp_path / "nowhere.spacy", expect=2)
    run(*options, "--negatives", tmp_path / "nowhere.txt", expect=2)


def test_train_grammaticality_refuses_a_second_classifier(docbin, tmp_path):
    run(docbin, "-o", tmp_path / "a", "--words-only", "-n", 1)
    result = run(docbin, "-o", tmp_path / "b", "--tagger", tmp_path / "a", expect=1)
    assert "LP347" in result.output


def test_train_grammaticality_learns_what_the_component_learns():
    """A pass over all the sentences at once is an update with all of them."""
    models = []
    for direct in (True, False):
        nlp = spacy.blank("xx")
        pipe = nlp.add_pipe("latperc_grammaticality", config=make_config())
        assert isinstance(pipe, LatpercGrammaticality)
        examples = make_examples(nlp)
        if direct:
            docs = [example.reference for example in examples]
            ArrayTrainer(nlp, "latperc_grammaticality").train(docs, passes=3)
        else:
            nlp.initialize(lambda examples=examples: examples)
            for _ in range(3):
                nlp.update(examples)
        models.append(pipe.model.to_bytes())
    assert models[0] == models[1]


def test_train_grammaticality_leaves_docs_without_categories_out(tmp_path):
    nlp = spacy.blank("xx")
    pipe = nlp.add_pipe("latperc_grammaticality", config=make_config())
    docs = [example.reference for example in make_examples(nlp)]
    docs[0].cats = {"OTHER": 1.0}
    training = ArrayTrainer(nlp, pipe.name).train(docs, passes=1)
    assert (training.positives, training.negatives) == (len(REAL) - 1, len(REAL))
    assert BAD in docs[1].cats
