"""Parsing column files: what is read, and what is refused with which words."""

import gzip
import warnings

import pytest

from spacy_latperc.data.columns import read_columns
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


def test_columns_are_read_by_name(write):
    table = read_columns(write("a DT x\nb NN y\n\nc VB z\n"), ["word", "tag"])
    assert sentences(table) == [["a", "b"], ["c"]]
    assert sentences(table, "tag") == [["DT", "NN"], ["VB"]]
    assert set(table.columns) == {"word", "tag"}


def test_columns_keep_each_string_once(write):
    table = read_columns(write("a X\nb X\na Y\n"), ["word", "tag"])
    assert table.columns["word"].strings == ["a", "b"]
    assert table.columns["word"].ids.tolist() == [0, 1, 0]
    assert table.columns["word"].ids.dtype.name == "uint8"


def test_columns_to_the_right_are_skipped_and_of_an_odd_row_said(write):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_columns(write("a DT x\n\nb NN y\n"), ["word", "tag"])
        read_columns(write("#\na DT x\n", "b.txt"), ["word", "tag"], comment="#")
    path = write("a DT x\n\nNew York NN y\nto to TO z\n", "odd.txt")
    with pytest.warns(UserWarning, match=r"LP903.*odd\.txt, line 3: 4.* 3\.") as found:
        read_columns(path, ["word", "tag"])
    assert len(found) == 1


@pytest.mark.parametrize("columns", [["-", "word"], ["-", "word", "-"]])
def test_columns_called_dash_are_skipped(write, columns):
    table = read_columns(write("1 a x\n2 b y\n"), columns)
    assert sentences(table) == [["a", "b"]]


@pytest.mark.parametrize(
    "content", ["a\n\n\n\nb", "\n\na\n\nb\n\n", "a\n \t\nb\n", "a\r\n\r\nb\r\n"]
)
@pytest.mark.parametrize("separator", [None, "\t"])
def test_columns_blank_lines_separate_sentences(write, content, separator):
    table = read_columns(write(content), ["word"], separator=separator)
    assert sentences(table) == [["a"], ["b"]]


def test_columns_of_a_compressed_file(write):
    table = read_columns(write("a X\n", "file.txt.gz"), ["word", "tag"])
    assert sentences(table) == [["a"]]


def test_columns_by_a_separator_keep_spaces_in_words(write):
    table = read_columns(write("New York\tX\n"), ["word", "tag"], separator="\t")
    assert sentences(table) == [["New York"]]


def test_columns_by_white_space_keep_other_spaces_in_words(write):
    table = read_columns(write("10\u00a0000 CD\n"), ["word", "tag"])
    assert sentences(table) == [["10\u00a0000"]]


def test_columns_without_byte_order_mark(write):
    assert sentences(read_columns(write("\ufeffa X\n"), ["word"])) == [["a"]]


def test_columns_in_another_encoding(write):
    path = write("caf\u00e9 NN\n".encode("latin-1"))
    table = read_columns(path, ["word", "tag"], encoding="latin-1")
    assert sentences(table) == [["caf\u00e9"]]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be"])
def test_columns_in_utf_16_are_refused_by_name(write, encoding):
    path = write("caf\u00e9 NN\n".encode("utf-16"))
    with pytest.raises(ValueError, match="LP573.* is in utf-16.*Convert it to UTF-8"):
        read_columns(path, ["word", "tag"], encoding=encoding)


def test_columns_marks_start_documents_and_end_sentences(write):
    content = "-DOCSTART- -X- O\n\na x O\n-DOCSTART- -X- O\nb x O\n\nc x O\n"
    table = read_columns(write(content), ["word", "tag", "ent"])
    assert sentences(table) == [["a"], ["b"], ["c"]]
    assert table.document_offsets.tolist() == [0, 1, 3]


def test_columns_marks_may_be_prefixes(write):
    content = "###MEDLINE:1\n\na\tO\n\n###MEDLINE:2\n\nb\tO\n"
    table = read_columns(write(content), ["word", "ent"], doc_mark="###MEDLINE:")
    assert table.n_documents == 2
    assert sentences(table) == [["a"], ["b"]]


def test_columns_without_marks_are_one_document(write):
    assert read_columns(write("a\n\nb\n"), ["word"]).document_offsets.tolist() == [0, 2]


def test_columns_mark_before_anything_else_makes_no_empty_document(write):
    content = "a\n-DOCSTART-\n-DOCSTART-\nb\n-DOCSTART-\n"
    assert read_columns(write(content), ["word"]).document_offsets.tolist() == [0, 1, 2]


def test_columns_skip_the_comments_that_are_named(write):
    path = write("# a comment\na X\n# # X\n")
    table = read_columns(path, ["word", "tag"], comment="# ")
    assert sentences(table) == [["a"]]
    with pytest.warns(UserWarning, match="LP903.*line 2"):
        table = read_columns(path, ["word", "tag"])
    assert sentences(table) == [["#", "a", "#"]]


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


def test_columns_skip_properties_that_open_a_sentence(write):
    """Whatever their number of fields; words that are '#' stay."""
    table = read_columns(write(PROPERTIES), ["word", "tag"])
    assert sentences(table) == [["a", "#"], ["#", "#", "b"], ["c"]]
    assert sentences(table, "tag") == [["X", "text"], ["O", "NN", "X"], ["X"]]
    assert table.lines.all().tolist() == [4, 5, 7, 8, 9, 12]


@pytest.mark.parametrize("size", [1, 2, 5, 13, 40])
def test_columns_skip_properties_whatever_the_size_of_blocks(write, monkeypatch, size):
    path = write(PROPERTIES)
    monkeypatch.setattr(lines, "BLOCK_BYTES", size)
    table = read_columns(path, ["word", "tag"])
    assert sentences(table) == [["a", "#"], ["#", "#", "b"], ["c"]]


def test_columns_skip_properties_of_tabbed_files(write):
    path = write("# sent_id = 1\na\tX\n\n# text = b\nb\tY\n")
    table = read_columns(path, ["word", "tag"], separator="\t")
    assert sentences(table) == [["a"], ["b"]]


def test_columns_keep_properties_where_nothing_is_a_comment(write):
    with pytest.warns(UserWarning, match="LP903.*line 2"):
        table = read_columns(write("# a = b\na X\n"), ["word", "tag"], comment="")
    assert sentences(table) == [["#", "a"]]


def test_columns_with_ids_skip_ranges_and_empty_nodes(write):
    content = "1-2\tdon't\n1\tdo\n2\tn't\n2.1\tgo\n3\tgo\n"
    table = read_columns(write(content), ["id", "word"])
    assert sentences(table) == [["do", "n't", "go"]]
    assert "id" not in table.columns


def test_columns_ids_that_are_no_numbers_are_tokens(write):
    table = read_columns(write("d-1 a\nd-2 b\n"), ["id", "word"])
    assert sentences(table) == [["a", "b"]]


def test_columns_spaces_follow_the_notes_and_the_ranges(write):
    content = (
        "1\ta\tX=1|SpaceAfter=No\n2-3\tdon't\tSpaceAfter=No\n2\tdo\t_\n3\tn't\t_\n"
        "4\tb\t_\n5-6\tcannot\t_\n5\tcan\t_\n6\tnot\tSpaceAfter=No\n"
    )
    table = read_columns(write(content), ["id", "word", "space"])
    assert table.spaces.tolist() == [False, False, False, True, False, True]


def test_columns_without_a_space_column_do_not_know_spaces(write):
    assert read_columns(write("a\n"), ["word"]).spaces is None


def test_columns_remember_lines(write):
    content = "# x\n\na\nb\n# y\nc\n\n\nd\n"
    table = read_columns(write(content), ["word"], comment="#")
    assert table.lines.all().tolist() == [3, 4, 6, 9]


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
    assert table.lines.all().tolist() == [2, 3, 7, 8, 10]
    assert table.document_offsets.tolist() == [0, 1, 3]
    assert table.spaces.tolist() == [False, True, False, True, True]


def refusal(path, columns, **settings):
    with pytest.raises((ValueError, FileNotFoundError)) as error:
        read_columns(path, columns, **settings)
    return str(error.value)


@pytest.mark.parametrize("size", [4, 1000])
def test_columns_wrong_bytes_are_placed(write, monkeypatch, size):
    monkeypatch.setattr(lines, "BLOCK_BYTES", size)
    message = refusal(write(b"abc X\n\nde X\nf\xe9e X\n"), ["word"])
    assert "LP102" in message
    assert "file.txt, line 4" in message
    assert "0xe9 at offset 13" in message


def test_columns_unknown_encoding_is_named(write):
    assert "LP103" in (message := refusal(write("a\n"), ["word"], encoding="utf-9"))
    assert "utf-9" in message


@pytest.mark.parametrize("separator", [None, " "])
def test_columns_short_line_is_placed(write, separator):
    path = write("a X\n\nb\n")
    message = refusal(path, ["word", "tag"], separator=separator)
    assert "LP104" in message
    assert "file.txt, line 3: 1 columns" in message
    assert "'b'" in message


def test_columns_unknown_name_lists_the_known_ones(write):
    message = refusal(write("a\n"), ["word", "chunks"])
    assert "LP105" in message
    assert "'chunks'" in message
    assert "word, tag, pos, lemma, morph, head, dep, chunk, ent, space" in message


def test_columns_need_a_word_column(write):
    message = refusal(write("a\n"), ["-", "tag"])
    assert "LP106" in message
    assert "['-', 'tag']" in message


def test_columns_named_twice_are_refused(write):
    assert "LP107" in (message := refusal(write("a\n"), ["word", "tag", "tag"]))
    assert "'tag'" in message


@pytest.mark.parametrize("content", ["", "\n\n", "-DOCSTART- O\n\n"])
def test_columns_without_tokens_are_refused(write, content):
    assert "LP108" in (message := refusal(write(content), ["word"]))
    assert "file.txt" in message


def test_columns_empty_word_is_placed(write):
    message = refusal(write("a\tX\n\tX\n"), ["word", "tag"], separator="\t")
    assert "LP109" in message
    assert "file.txt, line 2" in message
