"""JSON Lines: what is wrong is named by file and line."""

import gzip
import json

import pytest

from spacy_latperc.io.jsonl import parse_object, read_jsonl, write_json


def test_jsonl_is_read_with_its_places(tmp_path):
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b'{"b": 2}'))
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n\n{"a": 3}\n')
    (tmp_path / "other.txt").write_text("no JSON")
    found = [(x.path.name, x.number, x.fields) for x in read_jsonl(tmp_path)]
    assert found == [
        ("a.jsonl", 1, {"a": 1}),
        ("a.jsonl", 3, {"a": 3}),
        ("b.jsonl.gz", 1, {"b": 2}),
    ]


def test_jsonl_writes_what_others_can_read_and_refuses_no_object(tmp_path):
    write_json(tmp_path / "new" / "a.json", {"x": [1, 2.5]})
    assert json.loads((tmp_path / "new" / "a.json").read_text()) == {"x": [1, 2.5]}
    with pytest.raises(ValueError):
        write_json(tmp_path / "b.json", float("nan"))
    assert not (tmp_path / "b.json").exists()
    with pytest.raises(ValueError, match="^is not a JSON object$"):
        parse_object("null")
