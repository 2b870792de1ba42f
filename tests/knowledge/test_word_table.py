"""A table of words against a dictionary."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.knowledge.clusters import WordTable

KEYS = st.integers(0, 2**64 - 1) | st.integers(0, 20)


@given(st.lists(st.tuples(KEYS, st.integers(0, 70_000))), st.lists(KEYS))
def test_table_finds_what_a_dictionary_finds(entries, others):
    keys = np.asarray([key for key, _ in entries], dtype=np.uint64)
    numbers = np.asarray([number for _, number in entries], dtype=np.uint32)
    twin = dict(reversed(entries))
    table = WordTable(keys, {"number": numbers})
    again = WordTable.read(table.arrays(), number=70_001)
    assert len(table) == len(twin)
    for known in (table, again, copy.deepcopy(table)):
        for key in [*twin, *others]:
            row = known.find(key)
            found = int(known.columns["number"][row]) if row >= 0 else None
            assert found == twin.get(key)


def test_table_is_small():
    keys = np.arange(1000, dtype=np.uint64)
    table = WordTable(keys, {"number": (keys % 200).astype(np.uint32)})
    assert 1000 * 9 < table.nbytes < 1000 * 10


@pytest.mark.parametrize(
    "change",
    [
        {"keys": np.asarray([2, 1], dtype=np.uint64)},
        {"keys": np.asarray([1, 1], dtype=np.uint64)},
        {"keys": np.asarray([1, 2], dtype=np.int64)},
        {"keys": np.asarray([1, 2, 3], dtype=np.uint64)},
        {"number": np.asarray([1, 9], dtype=np.uint8)},
        {"number": np.asarray([1, 1], dtype=np.int8)},
    ],
    ids=str,
)
def test_damaged_table_is_refused(change):
    table = WordTable(
        np.asarray([1, 2], dtype=np.uint64), {"number": np.asarray([0, 3], np.uint8)}
    )
    with pytest.raises(ValueError):
        WordTable.read({**table.arrays(), **change}, number=4)
