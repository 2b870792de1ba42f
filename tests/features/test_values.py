"""The values that an attribute may give for a token, and those that are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.features.values import ListedColumn, join_columns, read_column
from spacy_latperc.kernels.chains import text_hash

NUMBER = text_hash("", 1)


def read(*values):
    return read_column(values, "_.topics", lambda token: f"token {token} of 'a b'")


def items(value):
    column = read(value)
    assert isinstance(column, ListedColumn)
    return column.items(0)


def text(*pairs):
    return {text_hash(key): value for key, value in pairs}


PLACES = [text_hash(str(at), 2) for at in range(3)]


def test_values_have_hashes_that_differ_by_value():
    found = read("a", None, True, np.bool_(True), 3, np.int64(3), "3")
    names = ("a", None, "True", "True", "3", "3", "3")
    assert found.dtype == np.uint64
    assert found.tolist() == [0 if x is None else text_hash(x) for x in names]
    out = np.zeros((2, 1), dtype=np.uint64)
    assert join_columns(iter([(0, 0, read("a", "b"))]), out) is None
    words = [f"w{n}" for n in range(50)]
    one, other = items(set(words)), items(frozenset(reversed(words)))
    assert list(one.items()) == list(other.items())
    values = [0.5, 0.25, [0.5], ["0.5"], {"0.5": 0.5}, "0.5", [], None]
    found = read(*values).hashes.tolist()
    assert len(set(found)) == 8
    assert found == read(*values).hashes.tolist()
    value = ["a", "b"]
    column = read(value, value, ["a", "b"])
    assert len(set(column.hashes.tolist())) == 1
    assert column.list_of.tolist() == [1, 1, 2]
    assert column.begin.tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.5, {NUMBER: 0.5}),
        (np.float32(-2), {NUMBER: -2.0}),
        (0.0, {}),
        ([], {}),
        ({}, {}),
        (["x", "y"], text(("x", 1), ("y", 1))),
        (("x", 3, True), text(("x", 1), ("3", 1), ("True", 1))),
        (["x", "y", "x"], text(("x", 2), ("y", 1))),
        ({"x": 0.5, "y": 2, "z": 0}, text(("x", 0.5), ("y", 2))),
        ({3: np.float64(0.5), "y": True}, text(("3", 0.5), ("y", 1))),
        (np.array(["x", "y"]), text(("x", 1), ("y", 1))),
        (np.array([4, 5]), text(("4", 1), ("5", 1))),
        ([0.5, 0.0, -1.0], {PLACES[0]: 0.5, PLACES[2]: -1.0}),
        (np.array([0.5, 2], dtype=np.float32), {PLACES[0]: 0.5, PLACES[1]: 2.0}),
    ],
)
def test_values_are_items(value, expected):
    assert items(value) == expected


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (b"a", "a bytes"),
        (object(), "a object"),
        ([None], "a list with None"),
        (["x", 0.5], "a list with a float"),
        ([["x"]], "a list with a list"),
        ({"x": "y"}, "a dict with a str under a key"),
        ({"x": None}, "a dict with None under a key"),
        ({0.5: 1.0}, "a dict with a key that is a float"),
        ({0.5, 1.5}, "a set of floats"),
        (np.ones((2, 2)), "an array of 2 dimensions"),
        (np.array([1j]), "a list with a complex"),
    ],
)
def test_values_refused_by_kind_and_place(value, kind):
    message = rf"LP540.*'_\.topics' is {kind}.* at token 1 of"
    with pytest.raises(ValueError, match=message):
        read("x", value)


def test_values_refused_by_size_and_place():
    nan, inf = float("nan"), float("inf")
    for value in (
        *(nan, inf, -np.inf, np.float32("nan"), {"x": nan}, [1.0, inf]),
        *(np.array([0.0, np.nan]), 1e16, {"x": 10**400}),
    ):
        with pytest.raises(
            ValueError, match=r"LP750.*_\.topics'.* at token 1 of 'a b'"
        ):
            read("x", value)


ANYTHING = st.recursive(
    st.one_of(
        *(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
        *(st.binary(), st.complex_numbers()),
    ),
    lambda inner: (
        st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner)
    ),
)


@given(st.lists(ANYTHING, max_size=4))
def test_values_of_any_kind_are_read_or_refused(values):
    try:
        found = read(*values)
    except ValueError as error:
        assert str(error).startswith(("[LP540]", "[LP750]"))
        return
    if isinstance(found, ListedColumn):
        assert np.isfinite(found.values).all()
        assert found.begin[-1] == len(found.keys) == len(found.values)
        found = found.hashes
    assert len(found) == len(values)


def test_values_of_docs_join_those_of_a_batch():
    out = np.zeros((5, 3), dtype=np.uint64)
    parts = [
        (1, 0, read("a", ["b", "c"])),
        (1, 2, read("d", "e", 0.5)),
        (2, 0, read("f", "g")),
        (2, 2, [text_hash("h")] * 3),
    ]
    made = join_columns(iter(parts), out)
    assert out[[0, 2, 3], 1].tolist() == [text_hash(x) for x in "ade"[0:1] + "de"]
    assert out[:, 2].tolist() == [text_hash(x) for x in "fghhh"]
    assert made.columns == [1]
    assert made.list_of[:, 0].tolist() == [0, 1, 0, 0, 2]
    assert made.begin.tolist() == [0, 2, 3]
    assert made.values.tolist() == [1.0, 1.0, 0.5]
    some = made.take(np.array([4, 0]))
    assert some.list_of[:, 0].tolist() == [2, 0]
