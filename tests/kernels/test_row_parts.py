"""Rows of pairs and triples, of which only parts are kept, against dense arrays."""

import numpy as np
import pytest
from builders.chains import make_shape, make_space, make_structure
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.kernels.chains import Chain, FrozenChain

FEATURES = 6
# Labels, latent values, order, form: rows of 2 to 3,600 floats, most of them long.
SHAPES = [(n, 1, 1, "label") for n in (2, 9, 23)]
SHAPES += [(3, 2, 2, "full"), (3, 2, 2, "tied"), (5, 1, 2, "label"), (3, 5, 2, "full")]


def make_chain(labels, latent, order, form, **settings):
    space = make_space()
    shape = make_shape(form, labels=labels, latent=latent, order=order)
    return Chain(space, make_structure(space, shape), **settings)


def change(chain, rng, twin, *, examples):
    """Random changes of cells, some again and again, here and in the twin."""
    for count in examples:
        n = int(rng.integers(1, 30))
        blocks = rng.integers(0, len(chain.structure.blocks), size=n)
        widths = np.array([chain.structure.cells(b) for b in blocks])
        narrow = rng.random() < 0.7
        cells = (rng.random(n) ** (3 if narrow else 1) * widths).astype(np.uint32)
        keys = rng.integers(1, FEATURES, size=n).astype(np.uint64)
        values = rng.integers(-8, 9, size=n).astype(np.float32)
        for b, key, cell, value in zip(blocks, keys, cells, values, strict=True):
            for plane, factor in (("w", 1), ("a", count)):
                width = chain.structure.cells(b)
                row = twin.setdefault((plane, b, key), np.zeros(width))
                row[cell] += factor * value
    for b in range(len(chain.structure.blocks)):
        restore(chain, b, rng, twin)


def restore(chain, b, rng, twin):
    """Make the rows of a block those of the twin, with cells in any order."""
    keys = [key for plane, x, key in twin if plane == "w" and x == b]
    w, a = (np.array([twin[p, b, key] for key in keys]) for p in "wa")
    cells = [rng.permutation(np.flatnonzero(x != 0)) for x in abs(w) + abs(a)]
    planes = {"w": w, "a": a} if chain.planes[1] else {"w": w}

    def flat(parts, kind):
        return np.concatenate([np.zeros(0), *parts]).astype(kind)

    values = {
        name: flat([row[x] for row, x in zip(rows, cells, strict=True)], np.float32)
        for name, rows in planes.items()
    }
    sizes = np.array([len(x) for x in cells], np.uint32)
    chain.restore(b, np.array(keys, np.uint64), sizes, flat(cells, np.uint32), values)


def dense(keys, sizes, cells, values, width):
    rows = np.zeros((len(keys), width), dtype=np.float32)
    rows[np.repeat(np.arange(len(keys)), sizes), cells] = values
    return dict(zip(keys.tolist(), rows, strict=True))


def assert_like_twin(chain, twin):
    for b in range(len(chain.structure.blocks)):
        width = chain.structure.cells(b)
        keys, sizes, cells, planes = chain.state(b)
        for plane in ("w", "a"):
            found = dense(keys, sizes, cells, planes[plane], width)
            assert found.keys() == {k for p, x, k in twin if p == plane and x == b}
            for key, row in found.items():
                assert row.tolist() == twin[plane, b, key].tolist()
        for key, row in chain.weights(b).items():
            assert row.reshape(-1).tolist() == twin["w", b, key].tolist()


@given(st.sampled_from(SHAPES), st.integers(0, 2**32 - 1))
def test_parts_hold_what_dense_rows_would(shape, seed):
    rng = np.random.default_rng(seed)
    chain = make_chain(*shape)
    twin = {}
    change(chain, rng, twin, examples=range(1, int(rng.integers(2, 8))))
    assert_like_twin(chain, twin)


@given(st.sampled_from(SHAPES), st.integers(0, 2**32 - 1))
def test_parts_come_back_as_they_were(shape, seed):
    rng = np.random.default_rng(seed)
    chain, again = make_chain(*shape), make_chain(*shape)
    twin = {}
    change(chain, rng, twin, examples=range(1, 5))
    again.set_progress(4, 0.0)
    for b in range(len(chain.structure.blocks)):
        keys, sizes, cells, planes = chain.state(b)
        assert (np.diff(cells) > 0).sum() >= len(cells) - len(keys)
        again.restore(b, keys, sizes, cells, planes)
    assert_like_twin(again, twin)
    change(again, rng, twin, examples=range(5, 8))
    assert_like_twin(again, twin)


@given(st.sampled_from(SHAPES), st.integers(0, 2**32 - 1))
def test_parts_of_frozen_rows_are_those_that_are_not_zero(shape, seed):
    rng = np.random.default_rng(seed)
    chain = make_chain(*shape, average=False)
    twin = {}
    change(chain, rng, twin, examples=range(1, 5))
    frozen = chain.freeze()
    loaded, learns = FrozenChain(frozen.structure), make_chain(*shape)
    for b in range(len(chain.structure.blocks)):
        exported = frozen.export(b)
        keys, sizes, cells, values = exported
        found = dense(keys, sizes, cells, values, chain.structure.cells(b))
        expected = {k: row for (p, x, k), row in twin.items() if (p, x) == ("w", b)}
        assert found.keys() == {k for k, row in expected.items() if row.any()}
        for key, row in found.items():
            assert row.tolist() == expected[key].tolist()
        # In any order within a row.
        mixed = [at + rng.permutation(size) for at, size in starts_of(sizes)] or [[]]
        mixed = np.concatenate(mixed).astype(int)
        loaded.fill(b, keys, sizes, cells[mixed], values[mixed])
        for one, other in zip(loaded.export(b), exported, strict=True):
            np.testing.assert_array_equal(one, other)
    learns.load(loaded, 0)
    for b in range(len(chain.structure.blocks)):
        for key, row in learns.weights(b).items():
            assert row.reshape(-1).tolist() == twin["w", b, key].tolist()


def starts_of(sizes):
    return zip(np.cumsum([0, *sizes])[:-1], sizes, strict=True)


def test_parts_take_little_memory():
    chain = make_chain(3, 5, 2, "full")
    before = chain.nbytes
    keys = np.arange(1, 2001, dtype=np.uint64)
    cells = (keys % 3375).astype(np.uint32)
    ones, sizes = np.ones(2000, dtype=np.float32), np.ones(2000, dtype=np.uint32)
    chain.restore(2, keys, sizes, cells, {"w": ones, "a": ones})
    assert chain.nbytes - before < 2000 * 400  # a dense row has 14,400 bytes a plane


@pytest.mark.parametrize(
    ("cells", "sizes", "message"),
    [([3375], [1], "outside"), ([1, 2], [1], "lengths"), ([1], [1, 0], "lengths")],
)
def test_parts_refuse_cells_that_are_not_there(cells, sizes, message):
    chain = make_chain(3, 5, 2, "full")
    planes = {"w": np.ones(len(cells), dtype=np.float32)}
    sizes, cells = (np.array(x, np.uint32) for x in (sizes, cells))
    with pytest.raises(ValueError, match=message):
        chain.restore(2, np.array([7], np.uint64), sizes, cells, planes)
