"""The features of tokens, read by the kernel."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.named_features import items

from spacy_latperc.kernels.text import NamedFeatures

TEXT = st.text(max_size=6)
NUMBERS = st.floats(-1e6, 1e6, width=32) | st.integers(-9, 9) | st.booleans()
LISTS = st.lists(TEXT, max_size=3) | st.sets(TEXT, max_size=3)
VALUES = TEXT | NUMBERS | LISTS | st.none()
NESTED = st.recursive(VALUES, lambda x: st.dictionaries(TEXT, x, max_size=3))
TOKENS = st.dictionaries(TEXT, NESTED, max_size=5) | LISTS


def read(sentences):
    """The features of each token, by name."""
    reader = NamedFeatures(keep_names=True)
    begin, keys, values = reader.read(sentences)
    names = dict(zip(reader.hashes.tolist(), reader.names, strict=True))
    found = [names[key] for key in keys.tolist()]
    return [
        list(zip(found[start:end], values[start:end].tolist(), strict=True))
        for start, end in zip(begin[:-1], begin[1:], strict=True)
    ]


@given(st.lists(st.lists(TOKENS, max_size=4), max_size=4))
def test_named_features_agree_with_the_reference(sentences):
    tokens = [token for sentence in sentences for token in sentence]
    for token, found in zip(tokens, read(sentences), strict=True):
        wanted = [(name, np.float32(x)) for name, x in items(token) if np.float32(x)]
        assert Counter(found) == Counter(wanted)


def test_named_features_of_nested_values_are_those_of_crfsuite():
    pycrfsuite = pytest.importorskip("pycrfsuite")
    token = {
        "a": "b",
        "c": 2,
        "d": True,
        "e": {"f": ["g", "h"], "i": {"j": 0.5}},
        "k": {"l"},
    }
    assert dict(read([[token]])[0]) == pycrfsuite.ItemSequence([token]).items()[0]


def test_named_features_of_equal_names_are_equal():
    same = [
        [{"a:b": "c"}],
        [{"a": "b:c"}],
        [["a:b:c"]],
        [{"a": {"b": "c"}}],
        [{"a": ["b:c"]}],
    ]
    _, keys, _ = NamedFeatures().read(same)
    assert len(set(keys.tolist())) == 1


def test_named_features_keep_lone_surrogates():
    assert read([[{"w": "\ud800"}, ["\udfff"]]]) == [
        [("w:\ud800", 1.0)],
        [("\udfff", 1.0)],
    ]


@pytest.mark.parametrize(
    "token, said",
    [
        ({"a": float("nan")}, "LP750"),
        ({"a": 10**400}, "LP750"),
        ({"a": np.complex64(1j)}, "LP540"),
        ({"a": {"b": float("inf")}}, "LP750"),
        ({"a": object()}, "LP540"),
        ({1: "a"}, "LP540"),
        ([b"a"], "LP540"),
        ("word", "LP881"),
        (None, "LP881"),
    ],
)
def test_named_features_refuse_other_values_with_their_place(token, said):
    with pytest.raises(ValueError, match=said) as error:
        NamedFeatures().read([[], [{"w": "a"}, token]])
    assert "X[1][1]" in str(error.value)


def test_named_features_refuse_endless_values():
    endless = {}
    endless["a"] = endless
    with pytest.raises(ValueError, match="LP540"):
        NamedFeatures().read([[endless]])
