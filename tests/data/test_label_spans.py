"""Spans off the label columns of a table."""

import pytest

from spacy_latperc.data.column_files import read_columns
from spacy_latperc.data.label_spans import label_spans


@pytest.fixture
def table(tmp_path):
    """Makes a table of one word per label; "/" ends a sentence."""

    def make(labels):
        path = tmp_path / "file.txt"
        lines = ["" if x == "/" else f"w {x}" for x in labels.split()]
        path.write_text("\n".join(lines))
        return read_columns(path, ["word", "chunk"])

    return make


def spans(column):
    names = [column.types[i] for i in column.type_ids]
    return list(zip(column.starts.tolist(), column.ends.tolist(), names, strict=True))


def test_label_spans_are_read_over_sentences(table):
    column = label_spans(table("B-A I-A / B-A O / B-B"), "chunk")
    assert spans(column) == [(0, 2, "A"), (2, 3, "A"), (4, 5, "B")]
    assert column.offsets.tolist() == [0, 1, 2, 3]
    assert (column.scheme, column.repaired) == ("IOB2", 0)


def test_label_spans_in_the_named_scheme(table):
    column = label_spans(
        table("I-A I-A B-A / S-A"), "chunk", scheme="IOB1", repair=True
    )
    assert spans(column) == [(0, 2, "A"), (2, 3, "A"), (3, 4, "A")]
    assert column.repaired == 1


def test_label_spans_find_out_the_scheme(table):
    column = label_spans(table("I-A E-A E-A O"), "chunk", scheme="auto")
    assert column.scheme == "IOE2"
    assert spans(column) == [(0, 2, "A"), (2, 3, "A")]


def test_label_spans_of_some_types(table):
    column = label_spans(table("B-A B-B / B-C B-B"), "chunk", keep_types=["B"])
    assert spans(column) == [(1, 2, "B"), (3, 4, "B")]
    assert column.offsets.tolist() == [0, 1, 2]


def test_label_spans_malformed_label_is_placed(table):
    with pytest.raises(ValueError, match=r"LP111.*line 4: 'NP' in column 'chunk'"):
        label_spans(table("O B-A / NP"), "chunk")


def test_label_spans_open_labels_without_partial_say_what_to_do(table):
    with pytest.raises(ValueError, match=r"LP111.*'\?'.*partial = true"):
        label_spans(table("O ?"), "chunk")


def test_label_spans_of_another_scheme_are_placed(table):
    pattern = r"LP112.*line 1: label 'I-A'.*IOB2.*2 such labels.*IOB1 fits"
    with pytest.raises(ValueError, match=pattern):
        label_spans(table("I-A B-A / I-A"), "chunk")


def test_label_spans_with_a_mistake_are_placed(table):
    pattern = r"LP113.*line 4: label 'I-A'.*'chunk'.*1 such label.*repair"
    with pytest.raises(ValueError, match=pattern):
        label_spans(table("B-A O / I-A B-A"), "chunk")
