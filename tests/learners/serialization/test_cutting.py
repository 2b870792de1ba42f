"""Model files without their smallest weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.io import model_file
from spacy_latperc.learners.serialization import cutting
from spacy_latperc.learners.serialization.cutting import cut_weights, tightened
from spacy_latperc.learners.serialization.pieces import read_rows, write_rows


def rows_of(weights):
    """Export the weights of a block by key and cell, without zeros."""
    rows = [(key, row) for key, row in weights.items() if any(row)]
    keys = np.array([key for key, _ in rows], dtype=np.uint64)
    sizes = np.array([np.count_nonzero(row) for _, row in rows], dtype=np.uint32)
    cells = [np.flatnonzero(row) for _, row in rows]
    values = [np.array(row)[np.flatnonzero(row)] for _, row in rows]
    cells, values = np.concatenate([*cells, []]), np.concatenate([*values, []])
    return keys, sizes, cells.astype(np.uint32), values.astype(np.float32)


def file_of(blocks, bits=32):
    header, arrays = {"kind": "chain"}, {}
    for b, weights in enumerate(blocks):
        arrays.update(write_rows(header, b, rows_of(weights), bits))
    return model_file.pack(header, arrays)


def weights_in(data, block):
    header, arrays = model_file.unpack(data)
    keys, sizes, cells, values = read_rows(header, arrays, block)
    ends = np.cumsum(sizes.astype(int))
    cells, values = (np.split(x, ends)[:-1] for x in (cells, values))
    return {
        int(key): dict(zip(c.tolist(), v.tolist(), strict=True))
        for key, c, v in zip(keys, cells, values, strict=True)
    }


WEIGHTS = st.dictionaries(
    st.integers(0, 2**64 - 1),
    st.lists(st.integers(-20, 20).map(float), min_size=3, max_size=3),
    min_size=2,
    max_size=9,
)


@given(blocks=st.lists(WEIGHTS, min_size=1, max_size=3), share=st.floats(0, 0.99))
def test_cutting_leaves_out_the_smallest(blocks, share):
    data = cut_weights(file_of(blocks), share)
    cuttable = [weights for weights in blocks if sum(map(any, weights.values())) > 1]
    sizes = sorted(abs(x) for w in cuttable for row in w.values() for x in row if x)
    least = sizes[int(share * len(sizes))] if sizes else 0.0
    for b, weights in enumerate(blocks):
        found = weights_in(data, b)
        kept = {
            key: {c: x for c, x in enumerate(row) if x and abs(x) >= least}
            for key, row in weights.items()
        }
        if weights in cuttable:
            assert found == {key: row for key, row in kept.items() if row}
        else:
            assert found == weights_in(file_of(blocks), b)


def test_cutting_compares_rounded_weights_by_what_they_stand_for():
    blocks = [{1: [1000.0, 4.0], 2: [3.0, 0.0]}, {3: [1.0, 2.0], 4: [0.5, 0.0]}]
    data = cut_weights(file_of(blocks, bits=16), 0.5)
    assert set(weights_in(data, 0)) == {1, 2}
    assert weights_in(data, 1) == {}
    blocks = [{1: [5.0, 4.0], 2: [3.0, 0.0]}, {3: [0.1, 0.2]}]
    data = cut_weights(file_of(blocks), 0.9)  # transitions are left alone
    assert weights_in(data, 0) == {1: {0: 5.0}}
    assert weights_in(data, 1) == weights_in(file_of(blocks), 1)
    data = file_of([{1: [1.0], 2: [2.0]}])
    assert all(cut_weights(data, share) == data for share in (0.0, 1e-9))


@given(blocks=st.lists(WEIGHTS, min_size=1, max_size=3), first=st.integers(1, 4))
def test_tightened_files_hold_the_same_weights(blocks, first):
    data = file_of(blocks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "FIRST_RANGE", first)
        tight = tightened(data)
    for b in range(len(blocks)):
        assert weights_in(tight, b) == weights_in(data, b)


def test_tightened_rows_are_in_order_within_ranges_that_double(monkeypatch):
    monkeypatch.setattr(cutting, "FIRST_RANGE", 2)
    weights = {key: [float(key), 0.0] for key in (9, 8, 7, 6, 5, 4, 3, 2, 1)}
    _, arrays = model_file.unpack(tightened(file_of([weights])))
    assert arrays["0.keys"].tolist() == [8, 9, 4, 5, 6, 7, 1, 2, 3]


@given(weights=WEIGHTS, bits=st.integers(8, 16))
def test_rounding_moves_no_weight_by_more_than_half_a_step(weights, bits):
    files = file_of([weights]), file_of([weights], bits)
    exact, found = (weights_in(file, 0) for file in files)
    largest = max((abs(x) for row in exact.values() for x in row.values()), default=0)
    for key, row in exact.items():
        for cell, weight in row.items():
            step = largest / (2 ** (bits - 1) - 1)
            assert abs(found[key][cell] - weight) <= 0.51 * step
