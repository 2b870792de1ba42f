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


def docs_of(path):
    return list(DocBin().from_disk(path).get_docs(spacy.blank("xx").vocab))


def test_convert_keeps_all_annotation_and_counts_it(path, tmp_path):
    target = tmp_path / "a.spacy"
    convert(path, target, columns=COLUMNS, repair=True)
    first, second, _ = docs_of(target)
    assert [(t.text, t.tag_) for t in first] == [("Ann", "NNP"), ("sleeps", "VBZ")]
    assert [(x.text, x.label_) for x in first.ents] == [("Ann", "PER")]
    assert second.has_annotation("ENT_IOB")
    spans = [(x.text, x.label_) for x in second.spans["chunks"]]
    assert spans == [("She", "NP"), ("dreams", "VP")]
    (counted,) = convert(path, target, columns=COLUMNS, repair=True, docs="document")
    assert [len(list(doc.sents)) for doc in docs_of(target)] == [2, 1]
    assert (counted.docs, counted.sentences, counted.tokens) == (2, 3, 5)
    assert counted.spans == {"chunk": {"NP": 3, "VP": 2}, "ent": {"PER": 2}}
    assert (counted.repaired, counted.source, counted.target) == (1, path, target)
    # The host reads it.
    convert(path, target, columns=COLUMNS, repair=True, chunk_key="sc")
    examples = list(Corpus(target)(spacy.blank("xx")))
    assert [len(eg.reference.spans["sc"]) for eg in examples] == [2, 2, 1]


def test_convert_leaves_out_what_the_file_does_not_say(path, tmp_path):
    convert(path, tmp_path / "a.spacy", columns=["word"])
    doc = docs_of(tmp_path / "a.spacy")[0]
    attributes = ("TAG", "POS", "ENT_IOB", "LEMMA", "SENT_START")
    assert not any(doc.has_annotation(x) for x in attributes)
    assert len(doc.spans) == 0


def test_convert_knows_conllu_by_name(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("1\tHi\thi\tINTJ\tUH\t_\t0\troot\t_\tSpaceAfter=No\n\n")
    convert(path, tmp_path)
    ((token,),) = docs_of(tmp_path / "a.spacy")
    found = (token.text_with_ws, token.pos_, token.tag_, token.lemma_)
    assert found == ("Hi", "INTJ", "UH", "hi")


def test_convert_folder_keeps_the_names_and_writes_no_two_files_to_one(tmp_path):
    folder, target = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for name in ("a.txt", "b.iob2"):
        (folder / name).write_text("x\n")
    convert(folder, target, columns=["word"])
    assert sorted(path.name for path in target.iterdir()) == ["a.spacy", "b.spacy"]
    (folder / "a.iob2").write_text("x\n")
    with pytest.raises(ValueError, match=r"LP482.*a\.iob2.*a\.txt.*a\.spacy"):
        convert(folder, tmp_path / "other", columns=["word"])


def test_convert_refuses_files_by_name_and_leaves_nothing(path, tmp_path):
    made = tmp_path / "a.spacy"
    with pytest.raises(ValueError, match=r"LP301.*train\.txt.*--columns"):
        convert(path, made)
    convert(path, made, columns=["word", "-", "-", "-"])
    with pytest.raises(ValueError, match=r"LP575.*a\.spacy .*b\.txt a name.*\.conllu"):
        convert(made, tmp_path / "b.txt")
    with pytest.raises(ValueError, match=r"LP113.*train\.txt, line 7: .*'I-VP'"):
        convert(path, tmp_path / "out" / "a.spacy", columns=COLUMNS)
    assert not (tmp_path / "out").exists()


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setenv("WASABI_LOG_FRIENDLY", "1")
    app = typer.Typer()
    app.command()(convert_cli)

    def run(*arguments):
        return CliRunner().invoke(app, [str(x) for x in arguments])

    return run


def test_convert_command_prints_counts_or_fails_with_the_place(run, path, tmp_path):
    target = tmp_path / "a.spacy"
    result = run(path, target, "--columns", ",".join(COLUMNS))
    assert result.exit_code == 1 and "LP113" in result.output
    options = ("--columns", ",".join(COLUMNS), "--repair", "--docs", "document")
    result = run(path, target, *options)
    assert result.exit_code == 0, result.output
    assert len(docs_of(target)) == 2
    counts = dict(re.findall(r"^(\S+(?: \S+)?)\s+(\d+)\s*$", result.output, re.M))
    wanted = {"documents": "2", "tokens": "5", "chunk NP": "3", "ent PER": "2"}
    assert wanted.items() | {("repaired labels", "1")} <= counts.items()


def test_convert_command_takes_tabs_and_types(run, tmp_path):
    source = tmp_path / "a.txt"
    source.write_text("New York\tB-LOC\nx\tB-PER\n")
    target = tmp_path / "a.spacy"
    options = ("-c", "word,ent", "-s", "tab", "--keep-types", "LOC")
    assert run(source, target, *options).exit_code == 0
    (doc,) = docs_of(target)
    assert [x.text for x in doc.ents] == ["New York"]
