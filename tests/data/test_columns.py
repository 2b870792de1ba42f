"""Parsing column files: what is read, and what is refused with which words."""

import gzip
import warnings

import pytest

from spacy_latperc.data.column_files import read_columns
from spacy_latperc.io import lines


@pytest.fixture
def write(tmp_path):
    """Writes a file of this content and gives its path."""

    def write(content, name="file.txt"):
        path = tmp_path / name
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


def sentences(table, column="word"):
    strings, ids = table.columns[column].strings, table.columns[column].ids
    words = [strings[i] for i in ids]
    offsets = table.sentence_offsets.tolist()
    return [words[a:b] for a, b in zip(offsets, offsets[1:], strict=False)]


PLAIN = {
    "by name": ("a DT x\nb NN y\n\nc VB z\n", "word,tag", {}, "a b / c"),
    "to the right of others": ("1 a x\n2 b y\n", "-,word", {}, "a b"),
    "between others": ("1 a x\n2 b y\n", "-,word,-", {}, "a b"),
    "spaces in words": ("New York\tX\n", "word,tag", {"separator": "\t"}, "New York"),
    "other spaces": ("10\u00a0000 CD\n", "word,tag", {}, "10\u00a0000"),
    "a byte order mark": ("\ufeffa X\n", "word", {}, "a"),
    "another encoding": (
        "caf\u00e9 NN\n".encode("latin-1"),
        "word,tag",
        {"encoding": "latin-1"},
        "caf\u00e9",
    ),
    "a comment": ("# a comment\na X\n# # X\n", "word,tag", {"comment": "# "}, "a"),
    "tabs and properties": (
        "# sent_id = 1\na\tX\n\n# text = b\nb\tY\n",
        "word,tag",
        {"separator": "\t"},
        "a / b",
    ),
    "ranges and empty nodes": (
        "1-2\tdon't\n1\tdo\n2\tn't\n2.1\tgo\n3\tgo\n",
        "id,word",
        {},
        "do n't go",
    ),
    "ids that are no numbers": ("d-1 a\nd-2 b\n", "id,word", {}, "a b"),
}


@pytest.mark.parametrize("kind", PLAIN)
def test_columns_are_read(write, kind):
    content, columns, settings, expected = PLAIN[kind]
    for name in ("file.txt", "file.txt.gz"):
        table = read_columns(write(content, name), columns.split(","), **settings)
        assert " / ".join(map(" ".join, sentences(table))) == expected
        assert {*table.columns} == {*columns.split(",")} - {"-", "id"}


NAMES = "word, tag, pos, lemma, morph, head, dep, chunk, ent, space"


def test_columns_keep_each_string_once_and_remember_lines(write):
    table = read_columns(write("a X\nb X\na Y\n"), ["word", "tag"])
    assert table.columns["word"].strings == ["a", "b"]
    assert table.columns["word"].ids.tolist() == [0, 1, 0]
    assert table.columns["word"].ids.dtype.name == "uint8"
    assert table.spaces is None
    content = "# x\n\na\nb\n# y\nc\n\n\nd\n"
    table = read_columns(write(content), ["word"], comment="#")
    assert table.lines.tolist() == [3, 4, 6, 9]


def test_columns_to_the_right_are_skipped_and_of_an_odd_row_said(write):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_columns(write("a DT x\n\nb NN y\n"), ["word", "tag"])
        read_columns(write("#\na DT x\n", "b.txt"), ["word", "tag"], comment="#")
    path = write("a DT x\n\nNew York NN y\nto to TO z\n", "odd.txt")
    with pytest.warns(UserWarning, match=r"LP903.*odd\.txt, line 3: 4.* 3\.") as found:
        read_columns(path, ["word", "tag"])
    assert len(found) == 1


@pytest.mark.parametrize(
    "content", ["a\n\n\n\nb", "\n\na\n\nb\n\n", "a\n \t\nb\n", "a\r\n\r\nb\r\n"]
)
@pytest.mark.parametrize("separator", [None, "\t"])
def test_columns_blank_lines_separate_sentences(write, content, separator):
    table = read_columns(write(content), ["word"], separator=separator)
    assert sentences(table) == [["a"], ["b"]]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be"])
def test_columns_in_utf_16_are_refused_by_name(write, encoding):
    path = write("caf\u00e9 NN\n".encode("utf-16"))
    with pytest.raises(ValueError, match="LP573.* is in utf-16.*Convert it to UTF-8"):
        read_columns(path, ["word", "tag"], encoding=encoding)


@pytest.mark.parametrize(
    "content, mark, offsets",
    [
        (
            "-DOCSTART- -X- O\n\na x O\n-DOCSTART- -X- O\nb x O\n\nc x O\n",
            "",
            [0, 1, 3],
        ),
        ("###ML:1\n\na\tO\tO\n\n###ML:2\n\nb\tO\tO\n", "###ML:", [0, 1, 2]),
        ("a x O\n\nb x O\n", "", [0, 2]),
        ("a x O\n-DOCSTART-\n-DOCSTART-\nb x O\n-DOCSTART-\n", "", [0, 1, 2]),
    ],
)
def test_columns_marks_start_documents_and_end_sentences(write, content, mark, offsets):
    marks = {"doc_mark": mark} if mark else {}
    table = read_columns(write(content), ["word", "tag", "ent"], **marks)
    assert sentences(table) == [["a"], ["b"], ["c"]][: offsets[-1]]
    assert table.document_offsets.tolist() == offsets


REFUSED = [
    ("LP103.*utf-9", "a\n", "word", {"encoding": "utf-9"}),
    ("LP104.*file.txt, line 3: 1 columns.*'b'", "a X\n\nb\n", "word,tag", {}),
    ("LP104.*line 3: 1 columns", "a X\n\nb\n", "word,tag", {"separator": " "}),
    (f"LP105.*'chunks'.*{NAMES}", "a\n", "word,chunks", {}),
    (r"LP106.*\['-', 'tag'\]", "a\n", "-,tag", {}),
    ("LP107.*'tag'", "a\n", "word,tag,tag", {}),
    ("LP108.*file.txt", "", "word", {}),
    ("LP108.*file.txt", "\n\n", "word", {}),
    ("LP108.*file.txt", "-DOCSTART- O\n\n", "word", {}),
    ("LP109.*file.txt, line 2", "a\tX\n\tX\n", "word,tag", {"separator": "\t"}),
]


@pytest.mark.parametrize("message, content, columns, settings", REFUSED)
def test_columns_refuse_and_name_the_place(write, message, content, columns, settings):
    with pytest.raises(ValueError, match=message):
        read_columns(write(content), columns.split(","), **settings)


PROPERTIES = """# newdoc id = d
# sent_id = 1
# text = a b c
a X O O
# text = O

# O O O
# NN B-NP O
b X O O
-DOCSTART-
# sent_id = 2
c X O O
"""


@pytest.mark.parametrize("size", [1, 2, 5, 13, 40, 1 << 20])
def test_columns_skip_properties_that_open_a_sentence(write, monkeypatch, size):
    """Whatever their number of fields; words that are '#' stay."""
    monkeypatch.setattr(lines, "BLOCK_BYTES", size)
    table = read_columns(write(PROPERTIES), ["word", "tag"])
    assert sentences(table) == [["a", "#"], ["#", "#", "b"], ["c"]]
    assert sentences(table, "tag") == [["X", "text"], ["O", "NN", "X"], ["X"]]
    assert table.lines.tolist() == [4, 5, 7, 8, 9, 12]


@pytest.mark.parametrize(
    "content, found", [("# a = b\na X\n", [["#", "a"]]), ("a X\n# # X\n", [["a", "#"]])]
)
def test_columns_are_no_comments_where_nothing_says_so(write, content, found):
    with pytest.warns(UserWarning, match="LP903.*line 2"):
        table = read_columns(write(content), ["word", "tag"], comment="")
    assert sentences(table) == found


def test_columns_spaces_follow_the_notes_and_the_ranges(write):
    content = (
        "1\ta\tX=1|SpaceAfter=No\n2-3\tdon't\tSpaceAfter=No\n2\tdo\t_\n3\tn't\t_\n"
        "4\tb\t_\n5-6\tcannot\t_\n5\tcan\t_\n6\tnot\tSpaceAfter=No\n"
    )
    table = read_columns(write(content), ["id", "word", "space"])
    assert table.spaces.tolist() == [False, False, False, True, False, True]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 16, 1000])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_columns_do_not_depend_on_the_size_of_blocks(
    write, monkeypatch, size, line_end
):
    content = (
        "1-2\tab\t_\n1\ta\t_\n2\tb\t_\n\n\n-DOCSTART-\n1\tc\tSpaceAfter=No\n"
        "2\tsomething-longer\t_\n\n1\te\t_"
    ).replace("\n", line_end)
    path = write(content)
    monkeypatch.setattr(lines, "BLOCK_BYTES", size)
    table = read_columns(path, ["id", "word", "space"], separator="\t")
    assert sentences(table) == [["a", "b"], ["c", "something-longer"], ["e"]]
    assert table.lines.tolist() == [2, 3, 7, 8, 10]
    assert table.document_offsets.tolist() == [0, 1, 3]
    assert table.spaces.tolist() == [False, True, False, True, True]


@pytest.mark.parametrize("size", [4, 1000])
def test_columns_wrong_bytes_are_placed(write, monkeypatch, size):
    monkeypatch.setattr(lines, "BLOCK_BYTES", size)
    with pytest.raises(ValueError, match="LP102.*line 4.*0xe9 at offset 13"):
        read_columns(write(b"abc X\n\nde X\nf\xe9e X\n"), ["word"])
