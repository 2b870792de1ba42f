"""Conversion to .spacy files, as a function and on the command line."""

import re

import pytest
import spacy
import typer
from spacy.tokens import DocBin
from spacy.training import Corpus
from typer.testing import CliRunner

from spacy_latperc.cli.convert import convert_cli
from spacy_latperc.data.conversion import convert

COLUMNS = ["word", "tag", "chunk", "ent"]
CONTENT = """\
-DOCSTART- - - -

Ann NNP B-NP B-PER
sleeps VBZ B-VP O

She PRP B-NP O
dreams VBZ I-VP O

-DOCSTART- - - -

Bob NNP B-NP B-PER
"""


@pytest.fixture
def source(path):
    return path


def docs_of(path):
    return list(DocBin().from_disk(path).get_docs(spacy.blank("xx").vocab))


def test_convert_keeps_all_annotation(source, tmp_path):
    convert(source, tmp_path / "a.spacy", columns=COLUMNS, repair=True)
    first, second, _ = docs_of(tmp_path / "a.spacy")
    assert [t.text for t in first] == ["Ann", "sleeps"]
    assert [t.tag_ for t in first] == ["NNP", "VBZ"]
    assert [(x.text, x.label_) for x in first.ents] == [("Ann", "PER")]
    assert second.has_annotation("ENT_IOB")
    spans = [(x.text, x.label_) for x in second.spans["chunks"]]
    assert spans == [("She", "NP"), ("dreams", "VP")]


def test_convert_skips_properties_of_sentences(tmp_path):
    source, target = tmp_path / "a.txt", tmp_path / "a.spacy"
    source.write_text("# sent_id = 1\n# NN B-NP O\nAnn NNP B-NP O\n")
    convert(source, target, columns=COLUMNS)
    assert [(t.text, t.tag_) for t in docs_of(target)[0]] == [
        ("#", "NN"),
        ("Ann", "NNP"),
    ]


def test_convert_leaves_out_what_the_file_does_not_say(source, tmp_path):
    convert(source, tmp_path / "a.spacy", columns=["word"])
    doc = docs_of(tmp_path / "a.spacy")[0]
    attributes = ("TAG", "POS", "ENT_IOB", "LEMMA", "SENT_START")
    assert not any(doc.has_annotation(x) for x in attributes)
    assert len(doc.spans) == 0


def test_convert_writes_documents_with_sentence_starts(source, tmp_path):
    target = tmp_path / "a.spacy"
    convert(source, target, columns=COLUMNS, repair=True, docs="document")
    docs = docs_of(target)
    assert [len(list(doc.sents)) for doc in docs] == [2, 1]


def test_convert_writes_what_the_host_reads(source, tmp_path):
    convert(source, tmp_path / "a.spacy", columns=COLUMNS, repair=True, chunk_key="sc")
    examples = list(Corpus(tmp_path / "a.spacy")(spacy.blank("xx")))
    assert len(examples) == 3
    assert [len(eg.reference.spans["sc"]) for eg in examples] == [2, 2, 1]


def test_convert_counts_what_it_wrote(source, tmp_path):
    target = tmp_path / "a.spacy"
    (counted,) = convert(source, target, columns=COLUMNS, repair=True, docs="document")
    assert (counted.docs, counted.sentences, counted.tokens) == (2, 3, 5)
    assert counted.spans == {"chunk": {"NP": 3, "VP": 2}, "ent": {"PER": 2}}
    assert counted.repaired == 1
    assert (counted.source, counted.target) == (source, target)


def test_convert_knows_conllu_by_name(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("1\tHi\thi\tINTJ\tUH\t_\t0\troot\t_\tSpaceAfter=No\n\n")
    convert(path, tmp_path)
    (doc,) = docs_of(tmp_path / "a.spacy")
    assert (doc.text, doc[0].pos_, doc[0].tag_, doc[0].lemma_) == (
        "Hi",
        "INTJ",
        "UH",
        "hi",
    )


def test_convert_folder_keeps_the_names(tmp_path):
    source = tmp_path / "in"
    source.mkdir()
    for name in ("a.txt", "b.iob2"):
        (source / name).write_text("x\n")
    convert(source, tmp_path / "out", columns=["word"])
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["a.spacy", "b.spacy"]


def test_convert_refuses_to_write_two_files_to_one(tmp_path):
    for name in ("a.txt", "a.iob2"):
        (tmp_path / name).write_text("x\n")
    with pytest.raises(ValueError, match=r"LP482.*a\.iob2.*a\.txt.*a\.spacy"):
        convert(tmp_path, tmp_path / "out", columns=["word"])


def test_convert_needs_columns_for_other_files(source, tmp_path):
    with pytest.raises(ValueError, match=r"LP301.*train\.txt.*--columns"):
        convert(source, tmp_path / "a.spacy")


def test_convert_says_what_becomes_of_spacy_files(source, tmp_path):
    made = tmp_path / "a.spacy"
    convert(source, made, columns=["word", "-", "-", "-"])
    with pytest.raises(ValueError, match=r"LP575.*a\.spacy .*b\.txt a name.*\.conllu"):
        convert(made, tmp_path / "b.txt")


def test_convert_leaves_nothing_when_the_input_is_wrong(source, tmp_path):
    with pytest.raises(ValueError, match=r"LP113.*train\.txt, line 7: .*'I-VP'"):
        convert(source, tmp_path / "out" / "a.spacy", columns=COLUMNS)
    assert not (tmp_path / "out").exists()


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setenv("WASABI_LOG_FRIENDLY", "1")
    app = typer.Typer()
    app.command()(convert_cli)

    def run(*arguments):
        return CliRunner().invoke(app, [str(x) for x in arguments])

    return run


def test_convert_command_prints_counts(run, source, tmp_path):
    target = tmp_path / "a.spacy"
    options = ("--columns", ",".join(COLUMNS), "--repair", "--docs", "document")
    result = run(source, target, *options)
    assert result.exit_code == 0, result.output
    assert len(docs_of(target)) == 2
    counts = dict(re.findall(r"^(\S+(?: \S+)?)\s+(\d+)\s*$", result.output, re.M))
    assert counts["documents"] == "2"
    assert counts["tokens"] == "5"
    assert counts["chunk NP"] == "3"
    assert counts["ent PER"] == "2"
    assert counts["repaired labels"] == "1"


def test_convert_command_takes_tabs_and_types(run, tmp_path):
    source = tmp_path / "a.txt"
    source.write_text("New York\tB-LOC\nx\tB-PER\n")
    target = tmp_path / "a.spacy"
    options = ("-c", "word,ent", "-s", "tab", "--keep-types", "LOC")
    assert run(source, target, *options).exit_code == 0
    (doc,) = docs_of(target)
    assert [x.text for x in doc.ents] == ["New York"]


def test_convert_command_fails_with_the_place(run, source, tmp_path):
    result = run(source, tmp_path / "a.spacy", "--columns", ",".join(COLUMNS))
    assert result.exit_code == 1
    assert "LP113" in result.output
