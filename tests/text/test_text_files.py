"""Sentences of any kind of file."""

import json

import pytest

from spacy_latperc.text import sentence_files as module
from spacy_latperc.text.sentence_files import read_sentences


@pytest.mark.parametrize("lines", [1, 2, 1000])
def test_files_json_lines_are_the_same_in_blocks_of_any_size(
    tmp_path, monkeypatch, lines
):
    monkeypatch.setattr(module, "_LINES", lines)
    objects = [{"text": x} for x in ("a b", ["c", "d e", ""], " ", "f")]
    path = tmp_path / "a.jsonl"
    path.write_text("\n\n".join(map(json.dumps, objects)))
    sentences, notes = read_sentences(path)
    assert list(sentences) == [["a", "b"], ["c", "de"], ["f"]]
    assert notes["lines"] == 7


def test_files_lines_of_one_object_stay_one_sentence(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"body": "a\nb"}))
    assert list(read_sentences(path, field="body")[0]) == [["a", "b"]]
    with pytest.raises(ValueError, match=r'LP470.*line 1.*no "text" \(--field'):
        read_sentences(path)


def test_files_are_split_by_a_function(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("ab cd\n\ne\n")
    sentences, notes = read_sentences(path, tokenize=lambda text: list(text))
    assert list(sentences) == [["a", "b", "c", "d"], ["e"]]
    assert notes["empty"] == 1
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "ab"}\n{"text": ["ab"]}')
    found, _ = read_sentences(path, tokenize=lambda text: list(text))
    assert list(found) == [["a", "b"], ["ab"]]
