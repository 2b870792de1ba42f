"""Reading text, good and bad."""

import gzip
import io
import sys

import pytest

from spacy_latperc.kernels.text import Vocabulary
from spacy_latperc.text import sentence_files as module
from spacy_latperc.text.sentence_files import read_sentences


@pytest.fixture
def write(tmp_path):
    def write(data):
        path = tmp_path / "text.txt"
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf8"))
        return path

    return write


def test_text_sentences_and_notes(write):
    sentences, notes = read_sentences(write("A b .\n\nC\x02d .\n"))
    assert list(sentences) == [["A", "b", "."], ["C", "d", "."]]
    assert notes == {"lines": 3, "empty": 1, "with_controls": 1}
    seen = []
    read_sentences(write("a b\nc\n"), progress=seen.append)
    assert sum(seen) == 6


@pytest.mark.parametrize("block", [1, 2, 7, 1 << 20])
def test_text_is_the_same_in_blocks_of_any_size(write, monkeypatch, block):
    monkeypatch.setattr(module, "BLOCK", block)
    path = write("\ufeffÄ b .\nc d e\n\nlast line")
    assert list(read_sentences(path)[0]) == [
        ["Ä", "b", "."],
        ["c", "d", "e"],
        ["last", "line"],
    ]


def test_text_packed_or_from_standard_input(write, monkeypatch):
    sentences, _ = read_sentences(write(gzip.compress(b"a b\nc\n")))
    assert list(sentences) == [["a", "b"], ["c"]]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a b\n")))
    assert list(read_sentences("-")[0]) == [["a", "b"]]


def test_text_shares_a_vocabulary_whose_words_may_be_others(write):
    vocabulary = Vocabulary()
    known, _ = read_sentences(write("a\n"), vocabulary=vocabulary)
    text = read_sentences(write("Ärger A\n"))[0].renamed(str.lower, vocabulary)
    assert list(text) == [["ärger", "a"]]
    assert text.ids[1] == known.ids[0] and text.vocabulary is vocabulary
    vocabulary = Vocabulary()
    first, _ = read_sentences(write("a b\n"), vocabulary=vocabulary)
    second, _ = read_sentences(write("b a\n"), vocabulary=vocabulary)
    assert first.ids.tolist() == second.ids.tolist()[::-1]


@pytest.mark.parametrize(
    "data, message",
    [
        ("ab\n\ncafé\n".encode("latin1"), "LP403.*text.txt: line 3 is not UTF-8"),
        ("a b\n".encode("utf-16-le"), "LP403.*line 1"),
        ("", "LP405"),
        ("\n\n", "LP405"),
        (" \t\r\n", "LP405"),
    ],
)
def test_text_that_cannot_be_read_is_refused(write, monkeypatch, data, message):
    monkeypatch.setattr(module, "BLOCK", 4)
    with pytest.raises(ValueError, match=message):
        read_sentences(write(data))
