"""`spacy latperc annotate`: annotation token by token."""

import pytest
import spacy
from builders.grammaticality import BAD, GOOD, REAL, make_trained
from spacy.tokens import Doc, Span
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.cli.annotate import annotation_rows

MORPHS = ["morph", "", "Number=Sing", "Number=Sing", "Number=Sing"]


@pytest.fixture
def model(tmp_path):
    """A pipeline that needs no training."""
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "LOC", "pattern": "New York"}])
    nlp.to_disk(tmp_path / "model")
    return tmp_path / "model"


def run(*arguments):
    result = CliRunner().invoke(latperc_cli, ["annotate", *map(str, arguments)])
    lines = [line.split() for line in result.output.splitlines() if line.strip()]
    return result.exit_code, lines


def test_annotate_rows_have_all_that_is_annotated():
    nlp = spacy.blank("en")
    doc = Doc(
        nlp.vocab,
        words=["She", "likes", "New", "York"],
        tags=["PRP", "VBZ", "NNP", "NNP"],
        pos=["PRON", "VERB", "PROPN", "PROPN"],
        ents=["O", "O", "B-LOC", "I-LOC"],
    )
    doc.spans["chunks"] = [Span(doc, 0, 1, "NP"), Span(doc, 2, 4, "NP")]
    rows = annotation_rows(doc)
    assert rows == [
        ("token", "tag", "pos", "chunks", "ents"),
        ("She", "PRP", "PRON", "B-NP", ""),
        ("likes", "VBZ", "VERB", "", ""),
        ("New", "NNP", "PROPN", "B-NP", "B-LOC"),
        ("York", "NNP", "PROPN", "I-NP", "I-LOC"),
    ]
    for token in doc:
        token.set_morph("Number=Sing" if token.i else "")
    rows = [
        row[:3] + (morph,) + row[3:] for row, morph in zip(rows, MORPHS, strict=True)
    ]
    assert annotation_rows(doc) == rows


def test_annotate_rows_have_nothing_else():
    assert annotation_rows(spacy.blank("en")("A word")) == [
        ("token",),
        ("A",),
        ("word",),
    ]


def test_annotate_rows_leave_groups_out_that_carry_scores():
    doc = spacy.blank("en")("A word")
    doc.spans["latperc_ents"] = []
    doc.spans["latperc:IOB2"] = [Span(doc, 0, 2, "NP")]
    assert annotation_rows(doc)[0] == ("token", "latperc:IOB2")


def test_annotate_shows_categories(tmp_path):
    make_trained().to_disk(tmp_path / "model")
    _, lines = run(tmp_path / "model", REAL[0])
    assert lines[-1][::2] == [GOOD, BAD]


def test_annotate_shows_texts(model):
    code, lines = run(model, "New York", "York")
    assert code == 0
    assert ["New", "B-LOC"] in lines
    assert ["York", "I-LOC"] in lines
    assert ["York"] in lines


def test_annotate_shows_the_lines_of_a_file(model, tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("In New York\n\nHere\n")
    code, lines = run(model, "--file", path)
    assert code == 0
    assert ["New", "B-LOC"] in lines
    assert ["Here"] in lines


@pytest.mark.parametrize(
    "arguments, message", [(["MODEL"], "[LP326]"), (["no_model", "x"], "[E050]")]
)
def test_annotate_fails_with_a_coded_message(model, arguments, message):
    code, lines = run(*(x.replace("MODEL", str(model)) for x in arguments))
    assert code == 1
    assert message in lines[0]
