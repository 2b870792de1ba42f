"""Tables in few bytes: numbers as narrow as they may be, lines as runs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.data.column_files import read_columns
from spacy_latperc.data.formats import ColumnFormat
from spacy_latperc.data.table import TokenLines, narrowest

pieces = st.lists(st.lists(st.integers(1, 4), max_size=9), max_size=4)


@given(pieces)
def test_lines_are_those_that_were_given(steps):
    line, given_pieces = 0, []
    for piece in steps:
        lines = line + np.cumsum(np.array(piece, dtype=np.int32), dtype=np.int32)
        line = int(lines[-1]) if piece else line
        given_pieces.append(lines)
    expected = np.concatenate([np.zeros(0, np.int32), *given_pieces]).tolist()
    lines = TokenLines(given_pieces)
    assert len(lines) == len(expected)
    assert lines.all().tolist() == expected
    assert [lines[i] for i in range(len(lines))] == expected


@pytest.mark.parametrize(
    ("most", "kind"),
    [(1, 8), (256, 8), (257, 16), (1 << 16, 16), ((1 << 16) + 1, "int32")],
)
def test_numbers_are_as_narrow_as_they_may_be(most, kind):
    numbers = np.array([0, most - 1], dtype=narrowest(most))
    assert numbers.dtype.name == (kind if kind == "int32" else f"uint{kind}")
    assert numbers.tolist() == [0, most - 1]


@pytest.mark.parametrize("n", [255, 256, 257, 300])
def test_labels_of_many_types_are_read(tmp_path, n):
    """As many strings as one byte can number, and more."""
    path = tmp_path / "many.txt"
    rows = [f"w{i} B-T{i}\nv I-T{i}\nu O\n" for i in range(n)]
    path.write_text("\n".join(rows), encoding="utf-8")
    table = read_columns(path, ["word", "ent"])
    strings = table.columns["ent"].strings
    assert [strings[i] for i in table.columns["ent"].ids[:6]] == [
        *("B-T0", "I-T0", "O", "B-T1", "I-T1", "O")
    ]
    labelled = ColumnFormat(["word", "ent"]).read(path)
    spans = labelled.spans["ent"]
    found = [spans.types[i] for i in spans.type_ids.tolist()]
    assert found == [f"T{i}" for i in range(n)]
