"""Lines of bytes as word numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.kernels.text import FIRST_WORD, UNKNOWN, Vocabulary, sentence_hashes


def read(text, vocabulary=None, **options):
    data = text if isinstance(text, bytes) else text.encode("utf8")
    return (vocabulary or Vocabulary()).read(data, **options)


def test_sentences_get_numbers_in_the_order_of_first_appearance():
    vocabulary = Vocabulary()
    ids, bounds, counts = read("a b\nb c a\n", vocabulary)
    assert ids.tolist() == [3, 4, 4, 5, 3]
    assert bounds.tolist() == [0, 2, 5]
    assert vocabulary.words_of(ids) == ["a", "b", "b", "c", "a"]
    assert counts["lines"] == 2
    assert vocabulary.size == 6


def test_sentences_lines_and_odd_characters_are_counted():
    _, bounds, counts = read("\n  \na\n\t\r\nb")
    assert bounds.tolist() == [0, 1, 2]
    assert (counts["lines"], counts["empty"]) == (5, 3)
    vocabulary = Vocabulary()
    ids, _, counts = read("a\x01b\x7fc\nd e\r\n", vocabulary)  # controls separate words
    assert vocabulary.words_of(ids) == ["a", "b", "c", "d", "e"]
    assert counts["with_controls"] == 1
    _, _, counts = read("a\nb\0\nc")
    assert counts["with_null"] == 2
    ids, _, _ = read("<s> </s> <unk>")  # spelled like marks
    assert ids.tolist() == [3, 4, 5]
    vocabulary = Vocabulary()
    read("a", vocabulary)
    ids, _, _ = read("a b", vocabulary, grow=False)
    assert ids.tolist() == [FIRST_WORD, UNKNOWN]
    assert vocabulary.size == 4


NO_UTF8 = [b"\xff", b"caf\xe9 au", b"\xc0\xaf", b"\xed\xa0\x80"]


@pytest.mark.parametrize("bad", [*NO_UTF8, b"\xf4\x90\x80\x80", b"\xe2\x82"])
def test_sentences_bytes_that_are_no_utf8_are_named_by_line(bad):
    _, _, counts = read(b"good\n\n" + bad + b"\ngood")
    assert counts["not_utf8"] == 3


@given(st.lists(st.binary(min_size=1, max_size=6), min_size=1, max_size=4))
def test_sentences_agree_with_python_about_utf8(lines):
    lines = [bytes(c for c in line if c > 32 and c != 127) for line in lines]
    first = 0
    for number, line in enumerate(lines, 1):
        try:
            line.decode("utf8")
        except UnicodeDecodeError:
            first = number
            break
    assert read(b"\n".join(lines))[2]["not_utf8"] == first


@given(st.lists(st.text(st.characters(min_codepoint=33, exclude_categories=["Cs"]))))
def test_sentences_words_come_back(words):
    words = [word.replace("\x7f", "") or "x" for word in words]
    vocabulary = Vocabulary()
    ids, _, _ = read(" ".join(words), vocabulary)
    assert vocabulary.words_of(ids) == words
    assert [vocabulary.find(word) for word in words] == ids.tolist()


def test_sentences_vocabulary_outgrows_its_table():
    words = [f"w{i}" for i in range(5000)]
    vocabulary = Vocabulary()
    ids, _, _ = read(" ".join(words), vocabulary)
    assert ids.tolist() == list(range(3, 5003))
    assert vocabulary.add("w4999") == 5002
    assert vocabulary.find("w5000") == UNKNOWN
    vocabulary = Vocabulary()
    read("der Bär brummt\n", vocabulary)
    again = Vocabulary.from_arrays(*vocabulary.to_arrays())
    assert [again.word(i) for i in range(3, 6)] == ["der", "Bär", "brummt"]
    assert again.find("Bär") == 4


def test_sentences_vocabulary_refuses_what_is_none():
    for text, starts in (
        *((b"aa", [0, 1, 2]), (b"a", [0, 0, 1]), (b"ab", [0, 1]), (b"\xff", [0, 1])),
        (b"", []),
    ):
        characters = np.frombuffer(text, dtype=np.uint8).copy()
        with pytest.raises(ValueError):
            Vocabulary.from_arrays(characters, np.asarray(starts, dtype=np.int64))
    with pytest.raises(IndexError):
        Vocabulary().word(3)


def test_sentences_of_100_000_words_and_hashes_of_equal_ones():
    ids, bounds, _ = read("x " * 100_000)
    assert len(ids) == 100_000
    assert bounds.tolist() == [0, 100_000]
    ids, bounds, _ = read("a b\na\nb\na b\nb a\n")
    hashes = sentence_hashes(ids, bounds)
    assert hashes[0] == hashes[3]
    assert len(set(hashes.tolist())) == 4
    with pytest.raises(IndexError):
        sentence_hashes(np.zeros(2, np.int32), np.asarray([0, 3]))
