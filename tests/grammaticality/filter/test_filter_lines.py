"""Lines are looked at before they are scored."""

import gzip
import json

import pytest

from spacy_latperc.grammaticality.filter.files import Layout
from spacy_latperc.grammaticality.filter.lines import MOST_BYTES, Line, LineReader
from spacy_latperc.grammaticality.filter.verdicts import Columns, Verdict

BAD = [
    ("text", b"caf\xe9", "is not UTF-8"),
    ("text", b"a\x00b", "has the control character U+0000"),
    ("text", b"a\x1bb", "has the control character U+001B"),
    ("text", b"a" * (MOST_BYTES - 1), "is longer than"),
    ("jsonl", b"{", "is no JSON"),
    ("jsonl", b"[]", "is no JSON object"),
    ("jsonl", b'{"txt": "a"}', "has no text in the field 'text'"),
    ("jsonl", b'{"text": 5}', "has no text in the field 'text'"),
    ("jsonl", b'{"text": " "}', "has nothing in the field 'text'"),
    ("jsonl", b'{"text": "a\\u0000"}', "has the control character U+0000"),
]


SCORES = Columns(scores=True)


def reader(tmp_path, content, format="text", **settings):
    path = tmp_path / "in"
    path.write_bytes(content)
    return LineReader(str(path), json=format == "jsonl", **settings)


def test_lines_keep_their_bytes(tmp_path):
    found = list(reader(tmp_path, b"\xef\xbb\xbfa  b \nc\td\r\n\xc3\xa9"))
    assert [line.content for line in found] == [b"a  b ", b"c\td", "é".encode()]


def test_lines_are_read_from_packed_files(tmp_path):
    assert [x.text for x in reader(tmp_path, gzip.compress(b"a\nb\n"))] == ["a", "b"]


def test_lines_that_are_empty_are_counted(tmp_path):
    lines = reader(tmp_path, b"a\n\n  \nb\n")
    assert [line.text for line in lines] == ["a", "b"]
    assert (lines.lines, lines.empty, lines.bad) == (4, 2, 0)


@pytest.mark.parametrize("format, line, problem", BAD)
def test_lines_that_are_bad_end_it_with_their_number(tmp_path, format, line, problem):
    good = b'{"text": "good"}\n'
    lines = reader(tmp_path, good + line + b"\n", format=format)
    with pytest.raises(ValueError, match="LP340.*: line 2 ") as error:
        list(lines)
    assert problem in str(error.value)


@pytest.mark.parametrize("format, line, problem", BAD)
def test_lines_that_are_bad_may_be_left_out(tmp_path, format, line, problem):
    good = b'{"text": "good"}\n'
    lines = reader(tmp_path, good + line + b"\n" + good, format=format, skip_bad=True)
    assert len(list(lines)) == 2
    assert lines.bad == 1
    assert lines.first_bad.startswith(f"line 2 {problem}")


def test_lines_of_json_are_scored_by_their_field(tmp_path):
    lines = reader(tmp_path, b'{"a": 1, "body": "x y"}\n', format="jsonl", field="body")
    (line,) = lines
    assert line.text == "x y"
    assert line.written(Verdict(0.5), Columns()) == b'{"a": 1, "body": "x y"}\n'
    assert json.loads(line.written(Verdict(0.5), SCORES)) == {
        "a": 1,
        "body": "x y",
        "grammaticality": 0.5,
    }


def test_lines_of_text_have_scores_in_front():
    assert Line(b"x\ty", "x\ty").written(Verdict(0.25), SCORES) == b"0.2500\tx\ty\n"


def test_lines_have_what_speaks_against_them():
    both, verdict = Columns(True, True), Verdict(0.25, ("a\tb", "c"))
    assert Line(b"x y", "x y").written(verdict, both) == b"0.2500\ta b | c\tx y\n"
    found = json.loads(Line(b"{}", "x y", {}).written(verdict, both))
    assert found == {"grammaticality": 0.25, "grammaticality_reasons": ["a\tb", "c"]}


def test_lines_of_unknown_formats_are_refused():
    with pytest.raises(ValueError, match="LP085.*csv.*text, jsonl"):
        Layout(format="csv")


def test_lines_of_packed_files_that_were_cut_off(tmp_path):
    packed = gzip.compress(b"a sentence\n" * 1000)
    with pytest.raises(ValueError, match="LP110"):
        list(reader(tmp_path, packed[:-10]))
