"""A pipeline as a function of tables, without a cluster."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import spacy
from builders.annotators import POISON, TEXTS, make_annotated, save_annotated
from typer.testing import CliRunner

from spacy_latperc.api import ArrowAnnotator, SparkAnnotator, pipeline_to_bytes
from spacy_latperc.cli import latperc_cli
from spacy_latperc.distributed.annotators import annotated_name
from spacy_latperc.distributed.columns import (
    annotation_columns,
    arrow_type,
    read_columns,
    spark_type,
)

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_annotated(tmp_path_factory.mktemp("model"))


def run(*arguments, expect=0):
    result = CliRunner().invoke(latperc_cli, ["annotate", *map(str, arguments)])
    assert result.exit_code == expect, result.output
    return result


def test_columns_hold_all_that_is_annotated():
    nlp = make_annotated()
    columns = annotation_columns(nlp)
    (doc,) = nlp.pipe(["They walk slowly to London"])
    values = read_columns([doc], columns)
    found = {
        column.name: value for column, (value,) in zip(columns, values, strict=True)
    }
    scores = found.pop("tag_scores")
    assert len(scores) == 5 and all(0 < score <= 1 for score in scores)
    first, *_ = found.pop("spans")
    assert 0 < first.pop("score") <= 1
    assert first == {"group": "chunks", "start": 0, "end": 4, "label": "NP"}
    (ent,) = found.pop("ents")
    assert 0 < ent.pop("score") <= 1
    assert ent == {"start": 20, "end": 26, "label": "GPE"}
    assert found == {
        "tokens": ["They", "walk", "slowly", "to", "London"],
        "token_starts": [0, 5, 10, 17, 20],
        "tags": ["PRP", "VBP", "RB", "TO", "NNP"],
    }
    for column, value in zip(columns, values, strict=True):
        assert pa.array(value, arrow_type(column)).to_pylist()
        assert spark_type(column).startswith("array<")


def test_columns_are_those_of_the_pipeline():
    nlp = spacy.blank("en")
    assert [c.name for c in annotation_columns(nlp)] == ["tokens", "token_starts"]
    nlp.add_pipe("sentencizer")
    names = [column.name for column in annotation_columns(nlp)]
    assert names == ["tokens", "token_starts", "sentences"]
    assert read_columns([], annotation_columns(nlp)) == [[], [], []]


@pytest.mark.parametrize("as_bytes", [False, True])
def test_arrow_annotator_adds_columns(model, as_bytes):
    nlp = make_annotated()
    annotator = ArrowAnnotator(pipeline_to_bytes(nlp) if as_bytes else str(model))
    texts = [*TEXTS, None, ""]
    table = annotator(pa.table({"text": texts, "tags": range(len(texts))}))
    assert table["text"].to_pylist() == texts
    assert table["tags"].to_pylist()[-2:] == [None, []]
    for tags, doc in zip(table["tags"].to_pylist(), nlp.pipe(TEXTS), strict=False):
        assert tags == [token.tag_ for token in doc]
    empty = annotator(table.slice(0, 0))
    assert empty.schema == table.schema


def test_annotators_stop_at_a_bad_text_or_keep_what_went_wrong(model):
    texts = [TEXTS[0], POISON, TEXTS[1]]
    table = pa.table({"text": texts})
    with pytest.raises(ValueError, match=rf"LP828.*'{POISON}'.*RuntimeError"):
        ArrowAnnotator(str(model))(table)
    found = ArrowAnnotator(str(model), errors="keep")(table).to_pydict()
    assert [bool(tokens) for tokens in found["tokens"]] == [True, False, True]
    assert [bool(error) for error in found["error"]] == [False, True, False]
    with pytest.raises(ValueError, match="LP480.*'body'.*text"):
        ArrowAnnotator(str(model), text="body")(table)
    with pytest.raises(ValueError, match="LP085"):
        SparkAnnotator(str(model), errors="shout")
    with pytest.raises(ValueError, match="LP824.*no_such_model"):
        ArrowAnnotator("no_such_model")(table)


def test_arrow_annotator_keeps_what_is_wrong_with_bytes(model):
    contents = [TEXTS[0].encode(), b"caf\xe9", None]
    table = pa.table({"text": pa.array(contents, pa.binary()).view(pa.string())})
    with pytest.raises(ValueError, match=r"LP828.*'caf\?'.*UnicodeEncodeError"):
        ArrowAnnotator(str(model))(table)
    found = ArrowAnnotator(str(model), errors="keep")(table)
    assert [bool(x) for x in found["error"].to_pylist()] == [False, True, False]
    assert [bool(x) for x in found["tokens"].to_pylist()] == [True, False, False]


def test_annotate_writes_columns(model, tmp_path):
    text = tmp_path / "in.txt"
    text.write_text("\n".join(["", *TEXTS]))
    run(model, "--file", text, "--output", tmp_path / "out.jsonl")
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["text"] for row in rows] == TEXTS
    run(model, "--file", text, "--output", tmp_path / "out.parquet")
    table = pq.read_table(tmp_path / "out.parquet")
    assert table["text"].to_pylist() == TEXTS
    assert table["ents"].to_pylist() == [row["ents"] for row in rows]
    run(model, "--file", tmp_path / "out.parquet", "-o", tmp_path / "again.parquet")
    assert pq.read_table(tmp_path / "again.parquet") == table
    source = tmp_path / "out.jsonl"
    run(model, "--file", source, "-o", tmp_path / "again.jsonl.gz")
    run(model, "--file", tmp_path / "again.jsonl.gz", "-o", tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_text() == source.read_text()


def test_annotate_writes_folders_and_goes_on(model, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("\n".join(TEXTS))
    (folder / "b.jsonl").write_text('{"id": 7, "text": "They walk"}\nnonsense\n')
    target = tmp_path / "out"
    result = run(model, "--file", folder, "--output", target, expect=1)
    assert "LP340" in result.output and "line 2" in result.output
    assert (target / "a.txt.jsonl").is_file() and not (target / "b.jsonl").exists()
    (folder / "b.jsonl").write_text('{"id": 7, "text": "They walk"}\n')
    result = run(model, "--file", folder, "--output", target)
    assert result.output.count("(before)") == 1
    (row,) = map(json.loads, (target / "b.jsonl").read_text().splitlines())
    assert row["id"] == 7 and row["tokens"] == ["They", "walk"]
    result = run(model, "-f", folder, "-o", target, "--keep-errors", expect=1)
    assert "LP485" in result.output
    result = run(model, "-f", folder, "-o", target, "--keep-errors", "--overwrite")
    assert "(before)" not in result.output


def test_annotate_keeps_errors(model, tmp_path):
    path = tmp_path / "in.txt"
    path.write_bytes(f"{TEXTS[0]}\n{POISON}\n\xff\n".encode("latin-1"))
    result = run(model, "-f", path, "-o", tmp_path / "out.jsonl", "--keep-errors")
    assert "Bad lines left out: 1" in result.output
    first, second = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert first["error"] is None and first["tokens"]
    assert "LP828" in second["error"] and second["tokens"] is None


def test_annotate_keeps_errors_of_tables_and_objects(model, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    contents = [TEXTS[0].encode(), b"\xff", None, POISON.encode()]
    column = pa.array(contents, pa.binary()).view(pa.string())
    pq.write_table(pa.table({"text": column, "n": range(4)}), folder / "a.parquet")
    (folder / "b.jsonl").write_text('{"text": "\\ud800"}\n{"text": "They walk"}\n')
    target = tmp_path / "out"
    result = run(model, "-f", folder, "-o", target, expect=1)
    assert "LP340" in result.output and "a.parquet: row 2 is not UTF-8" in result.output
    assert not list(target.glob("*"))
    result = run(model, "-f", folder, "-o", target, "--keep-errors")
    assert "Bad lines left out: 2" in result.output
    rows = pq.read_table(target / "a.parquet").to_pylist()
    assert [row["n"] for row in rows] == [0, 2, 3]
    assert [bool(row["tokens"]) for row in rows] == [True, False, False]
    assert [bool(row["error"]) for row in rows] == [False, False, True]
    (row,) = map(json.loads, (target / "b.jsonl").read_text().splitlines())
    assert row["tokens"] == ["They", "walk"]


def test_annotate_refuses_what_it_cannot_write(model, tmp_path):
    text, trees, rows = (tmp_path / f"x.{x}" for x in ("txt", "conllu", "jsonl"))
    for path in (text, trees, rows):
        path.write_text("x" if path == text else "")
    (tmp_path / "in").mkdir()
    for name in ("a.txt", "a.txt.jsonl"):  # which become one
        (tmp_path / "in" / name).write_text("")
    out = ("-o", tmp_path / "out.parquet")
    for code, arguments in (
        ("LP830", ("x", *out)),
        ("LP830", ("-f", text, "--ray", "here")),
        ("LP831", ("-f", rows, *out)),
        ("LP831", ("-f", text, "-o", "x", "--ray", "here")),
        ("LP832", ("-f", trees, *out)),
        ("LP101", ("-f", tmp_path / "none")),
        ("LP482", ("-f", tmp_path / "in", "-o", tmp_path / "out")),
    ):
        assert code in run(model, *arguments, expect=1).output


def test_annotated_names():
    for name, written in (
        ("a", "a.jsonl"),
        ("b/a.txt", "b/a.txt.jsonl"),
        ("a.txt.gz", "a.txt.jsonl.gz"),
        ("a.jsonl.xz", "a.jsonl.xz"),
        ("a.parquet", "a.parquet"),
    ):
        assert annotated_name(name, name) == written
