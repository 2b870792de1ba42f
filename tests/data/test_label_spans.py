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


@pytest.mark.parametrize(
    ("labels", "settings", "expected", "scheme"),
    [
        ("B-A I-A / B-A O / B-B", {}, "0 2 A, 2 3 A, 4 5 B", "IOB2"),
        ("I-A I-A B-A / S-A", {"scheme": "IOB1"}, "0 2 A, 2 3 A, 3 4 A", "IOB1"),
        ("I-A E-A E-A O", {"scheme": "auto"}, "0 2 A, 2 3 A", "IOE2"),
        ("B-A B-B / B-C B-B", {"keep_types": ["B"]}, "1 2 B, 3 4 B", "IOB2"),
    ],
)
def test_label_spans_are_read_over_sentences(table, labels, settings, expected, scheme):
    made = table(labels)
    column = label_spans(made, "chunk", repair="S-A" in labels, **settings)
    found = spans(column)
    assert ", ".join(f"{a} {b} {c}" for a, b, c in found) == expected
    assert (column.scheme, column.repaired) == (scheme, int("S-A" in labels))
    begins = made.sentence_offsets.tolist()
    assert column.offsets.tolist() == [
        sum(start < begin for start, *_ in found) for begin in begins
    ]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("O B-A / NP", r"LP111.*line 4: 'NP' in column 'chunk'"),
        ("O ?", r"LP111.*'\?'.*partial = true"),
        (
            "I-A B-A / I-A",
            r"LP112.*line 1: label 'I-A'.*IOB2.*2 such labels.*IOB1 fits",
        ),
        (
            "B-A O / I-A B-A",
            "LP113.*line 4: label 'I-A'.*'chunk'.*1 such label.*repair",
        ),
    ],
)
def test_label_spans_that_do_not_fit_are_placed(table, labels, message):
    with pytest.raises(ValueError, match=message):
        label_spans(table(labels), "chunk")
