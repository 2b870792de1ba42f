"""Sentences as JSON, one on each line."""

import gzip
import json

import pytest

from spacy_latperc.data.jsonl_corpus import jsonl_corpus

LINES = [
    {
        "text": "The dog sleeps .",
        "tags": "DT NN VBZ .",
        "other": ["A", "B", "C", "D"],
        "chunks": [[0, 2, "NP"], [2, 3, "VP"]],
        "cats": {"GOOD": 1, "BAD": 0},
    },
    {"text": ["a b", "c"], "cats": {"GOOD": 0.0}},
]


def write(path, *lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "a.jsonl", json.dumps(LINES[0]), "", json.dumps(LINES[1]))


def test_jsonl_reads_all_layers(path, nlp):
    first, second = (example.reference for example in jsonl_corpus(path)(nlp))
    assert [token.text for token in first] == ["The", "dog", "sleeps", "."]
    assert [token.tag_ for token in first] == ["DT", "NN", "VBZ", "."]
    assert [(x.text, x.label_) for x in first.spans["chunks"]] == [
        ("The dog", "NP"),
        ("sleeps", "VP"),
    ]
    assert first.cats == {"GOOD": 1.0, "BAD": 0.0}
    assert [token.text for token in second] == ["a b", "c"]
    assert not second.has_annotation("TAG") and "chunks" not in second.spans


def test_jsonl_gives_only_what_is_named_as_input(path, nlp):
    for example in jsonl_corpus(path)(nlp):
        assert not example.predicted.has_annotation("TAG")
        assert not example.predicted.cats
    (example, _) = jsonl_corpus(path, tags="other", inputs=["tag"])(nlp)
    assert [token.tag_ for token in example.predicted] == ["A", "B", "C", "D"]


def test_jsonl_reads_packed_files_and_folders_to_a_limit(path, tmp_path, nlp):
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    (tmp_path / "notes.txt").write_text("no JSON")
    write(tmp_path / "c.jsonl", '{"text": " "}')  # no words, no example
    assert len(list(jsonl_corpus(tmp_path)(nlp))) == 4
    assert len(list(jsonl_corpus(tmp_path, limit=1)(nlp))) == 1
    (tmp_path / "d.jsonl").write_bytes('{"text": "é"}\n'.encode("latin1"))
    with pytest.raises(ValueError, match="LP470.*line 1 "):
        list(jsonl_corpus(tmp_path)(nlp))
    with pytest.raises(ValueError, match="LP118.*shape"):
        jsonl_corpus(path, inputs=["shape"])


@pytest.mark.parametrize(
    "line, problem",
    [
        ("{", "Expecting property"),
        ("[1]", "not a JSON object"),
        ("{}", 'no "text"'),
        ('{"text": 1}', '"text" must be a string'),
        ('{"text": "a b", "tags": "X"}', "1 tags do not fit 2 words"),
        ('{"text": "a", "cats": ["X"]}', '"cats" must have'),
        ('{"text": "a", "cats": {"X": "yes"}}', '"cats" must have'),
        ('{"text": "a", "chunks": [[0, 1]]}', '"chunks"'),
        ('{"text": "a", "chunks": [[0, 9, "X"]]}', '"chunks"'),
        ('{"text": "a \\ud800 b"}', "surrogate"),
        ('{"text": "a", "tags": ["\\ud800"]}', "surrogate"),
        ('{"text": "a", "cats": {"GOOD": 1%s}}' % ("0" * 400), "too large"),
        ('{"text": "a", "chunks": [[0, 1%s, "NP"]]}' % ("0" * 40), "too large"),
        ('{"text": "a", "more": %s}' % ("[" * 100_000), "recursion"),
    ],
)
def test_jsonl_bad_lines_are_named(tmp_path, nlp, line, problem):
    path = write(tmp_path / "a.jsonl", json.dumps(LINES[0]), line)
    with pytest.raises(ValueError, match=f"LP470.*a.jsonl: line 2 .*{problem}"):
        list(jsonl_corpus(path)(nlp))


@pytest.mark.parametrize(
    "field",
    [
        {"spans": [{"start": 0, "end": 3, "label": "PERSON"}]},
        {"entities": [{"start_offset": 0, "end_offset": 3, "label": "PERSON"}]},
        {"label": [[0, 3, "PERSON"]]},
    ],
)
def test_jsonl_says_that_spans_with_offsets_are_not_read(tmp_path, nlp, field):
    line = {"text": "Ada sleeps", **field}
    path = write(
        tmp_path / "a.jsonl", '{"text": "b", "spans": []}', *[json.dumps(line)] * 2
    )
    with pytest.warns(
        UserWarning, match=r"LP904.*a\.jsonl, line 2.*latperc fit"
    ) as found:
        assert len(list(jsonl_corpus(path)(nlp))) == 3
    assert len(found) == 1
