"""`spacy latperc annotate`: annotation token by token."""

import pytest
import spacy
from builders.grammaticality import BAD, GOOD, REAL, make_trained
from spacy.language import Language
from spacy.tokens import Doc, Span
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.cli.annotated_texts import annotation_rows
from spacy_latperc.data.conversion import convert


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


def test_annotate_rows_have_all_that_is_annotated_and_nothing_else():
    nlp = spacy.blank("en")
    words, tags = "She likes New York".split(), "PRP VBZ NNP NNP".split()
    pos, ents = "PRON VERB PROPN PROPN".split(), "O O B-LOC I-LOC".split()
    doc = Doc(nlp.vocab, words=words, tags=tags, pos=pos, ents=ents)
    doc.spans["chunks"] = [Span(doc, 0, 1, "NP"), Span(doc, 2, 4, "NP")]
    rows = [
        ("token", "tag", "pos", "chunks", "ents"),
        ("She", "PRP", "PRON", "B-NP", ""),
        ("likes", "VBZ", "VERB", "", ""),
        ("New", "NNP", "PROPN", "B-NP", "B-LOC"),
        ("York", "NNP", "PROPN", "I-NP", "I-LOC"),
    ]
    assert annotation_rows(doc) == rows
    for token in doc:
        token.set_morph("Number=Sing" if token.i else "")
    morphs = ["morph", "", *["Number=Sing"] * 3]
    rows = [row[:3] + (x,) + row[3:] for row, x in zip(rows, morphs, strict=True)]
    assert annotation_rows(doc) == rows
    doc = nlp("A word")
    assert annotation_rows(doc) == [("token",), ("A",), ("word",)]
    doc.spans["latperc_ents"] = []  # it carries scores
    doc.spans["latperc:IOB2"] = [Span(doc, 0, 2, "NP")]
    assert annotation_rows(doc)[0] == ("token", "latperc:IOB2")


def test_annotate_shows_texts_lines_of_a_file_and_categories(model, tmp_path):
    code, lines = run(model, "New York", "York")
    assert code == 0
    assert ["New", "B-LOC"] in lines and ["York", "I-LOC"] in lines
    assert ["York"] in lines
    path = tmp_path / "texts.txt"
    path.write_text("In New York\n\nHere\n")
    code, lines = run(model, "--file", path)
    assert code == 0
    assert ["New", "B-LOC"] in lines and ["Here"] in lines
    make_trained().to_disk(tmp_path / "judge")
    _, lines = run(tmp_path / "judge", REAL[0])
    assert lines[-1][::2] == [GOOD, BAD]


@pytest.mark.parametrize(
    "arguments, message", [(["MODEL"], "[LP326]"), (["no_model", "x"], "[E050]")]
)
def test_annotate_fails_with_a_coded_message(model, arguments, message):
    code, lines = run(*(x.replace("MODEL", str(model)) for x in arguments))
    assert code == 1
    assert message in lines[0]


# Files --------------------------------------------------------------------------------

TREE = """\
# newdoc
1\tShe\tshe\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\tlikes\tlike\tVERB\tVBZ\t_\t0\troot\t_\t_
3\tNew\tNew\tPROPN\tNNP\t_\t4\tamod\t_\t_
4\tYork\tYork\tPROPN\tNNP\t_\t2\tobj\t_\tSpaceAfter=No

1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_

"""


@Language.component("right_arcs")
def right_arcs(doc):
    """A parser that hangs every word from the one before."""
    for token in doc:
        if not token.is_sent_start:
            token.head, token.dep_ = token.nbor(-1), "next"
        else:
            token.dep_ = "ROOT"
    return doc


@pytest.fixture
def parser(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("right_arcs")
    nlp.to_disk(tmp_path / "parser")
    return tmp_path / "parser"


def annotated(parser, source, target):
    """The rows of the file that the command writes."""
    code, lines = run(parser, "--file", source, "-o", target)
    assert code == 0, lines
    return [x.split("\t") for x in target.read_text().splitlines() if "\t" in x]


@pytest.mark.parametrize("suffix", [".conllu", ".spacy"])
def test_annotate_takes_the_tokens_of_a_file_and_writes_conllu(
    parser, tmp_path, suffix
):
    path = tmp_path / "in.conllu"
    path.write_text(TREE)
    if suffix == ".spacy":
        convert(path, tmp_path / "in.spacy", docs="document")
    found = annotated(parser, path.with_suffix(suffix), tmp_path / "new" / "out.conllu")
    assert [row[1] for row in found] == ["She", "likes", "New", "York", "Yes"]
    # Nothing but tokens came from the file.
    assert {row[2] for row in found} == {row[4] for row in found} == {"_"}
    assert [row[6] for row in found] == ["0", "1", "2", "3", "0"]
    assert found[3][9] == "SpaceAfter=No"


def test_annotate_shows_heads(parser, model, tmp_path):
    _, lines = run(parser, "She likes Rome")
    assert ["likes", "She", "next"] in lines
    code, lines = run(model, "York", "-o", tmp_path / "page.txt")
    assert (code, lines[0][0]) == (1, "[LP327]")
