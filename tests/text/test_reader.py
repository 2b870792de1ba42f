"""The reader of text: lines and rows are checked before they go on."""

import gzip
import json
import subprocess
import sys

import pytest

from spacy_latperc.io.lines import MOST_BYTES
from spacy_latperc.io.packed import PACKED_SUFFIXES, open_to_pack
from spacy_latperc.text.input_files import Layout
from spacy_latperc.text.reader import LineReader

LONG = b"a" * (MOST_BYTES + 1)
BAD = [
    ("text", b"caf\xe9", "is not UTF-8"),
    ("text", b"a\x00b", "has the control character U+0000"),
    ("text", b"a\x1bb", "has the control character U+001B"),
    ("text", LONG, "is longer than 1,048,576 bytes"),
    ("text", 5 * LONG, "is longer than 1,048,576 bytes"),
    ("jsonl", b'{"text": "' + LONG + b'"}', "is longer than 1,048,576 bytes"),
    ("jsonl", b"{", "is not JSON"),
    ("jsonl", b"[]", "is not a JSON object"),
    ("jsonl", b'{"txt": "a"}', "has no text in the field 'text'"),
    ("jsonl", b'{"text": 5}', "has no text in the field 'text'"),
    ("jsonl", b'{"text": " "}', "has nothing in the field 'text'"),
    ("jsonl", b'{"text": "a\\u0000"}', "has the control character U+0000"),
    ("jsonl", b'{"text": "a\\ud800"}', r"has a lone surrogate (\ud800)"),
    ("jsonl", b'{"text": "a", "b": ["\\uDC01"]}', "has a lone surrogate"),
    ("jsonl", b'{"text": "a\xff"}', "is not UTF-8"),
]


def reader(tmp_path, content, format="text", **settings):
    path = tmp_path / "in"
    path.write_bytes(content)
    return LineReader(str(path), json=format == "jsonl", **settings)


def test_lines_keep_their_bytes_and_empty_ones_are_counted(tmp_path):
    lines = reader(tmp_path, b"\xef\xbb\xbfa  b \n\n  \nc\td\r\n\xc3\xa9")
    found = [(line.number, line.content) for line in lines]
    assert found == [(1, b"a  b "), (4, b"c\td"), (5, "é".encode())]
    assert (lines.tally.lines, lines.tally.empty, lines.tally.bad) == (5, 2, 0)
    content = LONG[:-1] + b"\n" + LONG[:-1]  # as long as the limit
    assert [len(x.text) for x in reader(tmp_path, content)] == [MOST_BYTES] * 2


@pytest.mark.parametrize("format, line, problem", BAD)
def test_lines_that_are_bad_are_named_or_left_out(tmp_path, format, line, problem):
    good = b'{"text": "good"}\n'
    content = good + line + b"\n" + good
    with pytest.raises(ValueError, match="LP340.*: line 2 ") as error:
        list(reader(tmp_path, content, format=format))
    assert problem in str(error.value)
    lines = reader(tmp_path, content, format=format, skip_bad=True)
    assert [line.number for line in lines] == [1, 3]
    assert (lines.tally.lines, lines.tally.bad) == (3, 1)
    assert f": line 2 {problem}" in lines.tally.first_bad


def test_lines_of_json_are_read_by_their_field(tmp_path):
    (line,) = reader(tmp_path, b'{"text": "\\ud83d\\ude00"}', format="jsonl")
    assert line.text == "\U0001f600"  # a whole surrogate pair
    lines = reader(tmp_path, b'{"a": 1, "body": "x y"}\n', format="jsonl", field="body")
    (line,) = lines
    assert line.text == "x y" and line.fields == {"a": 1, "body": "x y"}


READ_BOMB = """
import gzip, lzma, bz2, resource, sys, zstandard
from spacy_latperc.text.reader import LineReader
from spacy_latperc.text.sentence_files import read_sentences

def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

before = most()
(line,) = LineReader(sys.argv[1], skip_bad=True)
assert line.number == 2 and line.text == "good"
try:
    read_sentences(sys.argv[1])
except ValueError as error:
    assert "LP340" in str(error) and "line 1 is longer" in str(error)
else:
    raise AssertionError
print(most() - before)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="it has no resource module")
@pytest.mark.parametrize("suffix", PACKED_SUFFIXES)
def test_a_line_that_unpacks_to_much_takes_little_memory(tmp_path, suffix):
    """A .gz of 3.5 MB took 5.5 GB."""
    path = tmp_path / f"bomb.txt{suffix}"
    with open_to_pack(path) as file:
        for _ in range(50):
            file.write(bytes(b"a" * MOST_BYTES))
        file.write(b"\ngood\n")
    command = [sys.executable, "-c", READ_BOMB, str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(done.stdout) * unit < 30_000_000


def table(path, contents):
    """A table whose strings were never checked."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    column = pa.array(contents, pa.binary()).view(pa.string())
    parquet.write_table(pa.table({"text": column}), path)


def test_rows_that_are_bad_are_named_or_left_out(tmp_path):
    path = str(tmp_path / "in.parquet")
    table(path, [b"good", None, b"caf\xe9", b" ", b"a\x00", LONG, b"last"])
    with pytest.raises(ValueError, match="LP340.*in.parquet: row 3 is not UTF-8"):
        list(Layout().reader(path))
    rows = Layout(skip_bad=True).reader(path)
    assert [(row.number, row.text) for row in rows] == [(1, "good"), (7, "last")]
    tally = rows.tally
    assert (tally.lines, tally.empty, tally.bad) == (7, 2, 3)


def test_rows_and_lines_are_told_by_their_files_and_damage_is_named(tmp_path):
    table(tmp_path / "table", [b"x"])
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "x"}))
    (tmp_path / "a.txt").write_text("x")
    for name in ("table", "a.jsonl", "a.txt"):
        (found,) = Layout().reader(str(tmp_path / name))
        assert found.text == "x"
    path = tmp_path / "in.parquet"
    table(path, [b"good"])
    path.write_bytes(path.read_bytes().replace(b"text", b"te\xc0t"))
    with pytest.raises(ValueError, match="LP481.*in.parquet"):
        Layout().reader(str(path))
    packed = gzip.compress(b"a sentence\n" * 1000)
    with pytest.raises(ValueError, match="LP110"):
        list(reader(tmp_path, packed[:-10]))
