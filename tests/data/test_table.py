"""Tables in few bytes: numbers as narrow as they may be."""

import numpy as np
import pytest

from spacy_latperc.data.column_files import read_columns
from spacy_latperc.data.formats import ColumnFormat
from spacy_latperc.data.table import narrowest


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
    """Test as many strings as one byte can number, and more."""
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
