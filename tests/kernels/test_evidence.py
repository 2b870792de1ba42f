"""Evidence of n-grams against its slow twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.evidence import Evidence

from spacy_latperc.kernels.chains import text_hash
from spacy_latperc.kernels.text import (
    Vocabulary,
    count_evidence,
    evidence_marks,
    read_evidence,
)

SENTENCES = st.lists(st.sampled_from("abcd"), min_size=1, max_size=7)
TEXTS = st.lists(SENTENCES, min_size=1, max_size=12)
ROOMY = 1 << 20


def count(text, order=3, most=ROOMY):
    vocabulary = Vocabulary()
    lines = "\n".join(map(" ".join, text)).encode("utf8")
    ids, bounds, _ = vocabulary.read(lines)
    numbers = range(3, vocabulary.size)
    keys = [0, 0, 0, *(text_hash(vocabulary.word(number)) for number in numbers)]
    return count_evidence(
        ids,
        bounds,
        np.asarray(keys, dtype=np.uint64),
        order=order,
        most=most,
    )


def twin_of(text, found):
    return Evidence(text, found[1]["least"], found[1]["discounts"])


def hashes(words):
    return np.asarray([text_hash(word) for word in words], dtype=np.uint64)


def bounds_of(sentences):
    return np.cumsum([0, *map(len, sentences)], dtype=np.int64)


def read(found, sentences):
    """Read the evidence of sentences in a table, by name."""
    tables, rest = found
    asked = hashes(word for words in sentences for word in words)
    plain, marked = (
        read_evidence(
            tables,
            asked,
            bounds_of(sentences),
            **rest,
            marks=marks,
        )
        for marks in (None, evidence_marks(tables))
    )
    for name, values in plain.items():  # marks change nothing
        np.testing.assert_array_equal(marked[name], values, err_msg=name)
    return plain


# Of sums of discounts, which are rounded.
NEAR = {"prob": 0.01, "next": 0.01, "gap": 0.01}


def check(found, twin, sentences):
    columns = read(found, sentences)
    for start, words in zip(bounds_of(sentences), sentences, strict=False):
        for name, wanted in twin.judge(words).items():
            got = columns[name][start : start + len(words)]
            near = NEAR.get(name, 0)
            np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=near, err_msg=name)


@given(TEXTS, st.lists(SENTENCES, min_size=1, max_size=4), st.integers(2, 5))
@settings(max_examples=60)
def test_evidence_is_that_of_the_twin(text, asked, order):
    found = count(text, order)
    assert found[1]["least"] == [1] * order
    twin = twin_of(text, found)
    assert found[1]["totals"][:2] == (twin.tokens, twin.words)
    check(found, twin, asked)


@given(TEXTS.filter(lambda text: sum(map(len, text)) > 8), st.integers(2, 4))
@settings(max_examples=40)
def test_rare_ngrams_are_left_out_to_save_room(text, order):
    text = text * 3 + [["a", "b", "c", "d", "a", "c"]]
    most = 500
    found = count(text, order, most=most)
    tables, rest = found
    assert rest["least"] == sorted(rest["least"])
    assert sum(array.nbytes for array in tables.values()) <= most
    twin = twin_of(text, found)
    check(found, twin, text)


def test_counts_are_exact_when_small_and_near_when_large():
    for n in (1, 2, 126, 127, 128, 200, 999, 5000, 20_000):
        columns = read(count([["a", "b"]] * n), [["a", "b"]])
        expected = pytest.approx(n, rel=0 if n <= 127 else 0.07)
        assert columns["pair"].tolist() == [expected, expected]


def test_probabilities_of_rounded_counts_are_near():
    """Counts within 7 per cent: logarithms within 0.075, whatever the context."""
    random = np.random.default_rng(3)
    shares = 1 / np.arange(1, 41)
    words = np.array([f"w{n}" for n in range(40)])
    drawn = random.choice(words, size=(12_000, 4), p=shares / shares.sum())
    text = drawn.tolist()
    found = count(text)
    twin = twin_of(text, found)
    asked = text[:60]
    columns = read(found, asked)
    wanted = [twin.judge(row) for row in asked]
    assert max(max(row["pair"]) for row in wanted) > 5 * 127
    for name in ("prob", "next", "gap"):
        exact = np.concatenate([row[name] for row in wanted])
        assert np.abs(columns[name] - exact).max() < 0.075


def test_bounds_and_room_are_checked():
    with pytest.raises(ValueError, match="room"):
        count([[f"w{i}" for i in range(100)]], most=200)
    tables, rest = count([["a", "b", "c"]])
    keys = hashes("ab")
    good = np.asarray([0, 2], dtype=np.int64)
    for bad in ([0, 3], [2, 0]):
        with pytest.raises(IndexError, match="LP504"):
            read_evidence(tables, keys, np.asarray(bad), **rest)
    short = {**tables, "adjusted": tables["adjusted"][1:]}
    with pytest.raises(ValueError, match="adjusted"):
        read_evidence(short, keys, good, **rest)
    with pytest.raises(ValueError, match="marks"):
        read_evidence(tables, keys, good, **rest, marks=np.zeros(3, dtype=np.uint8))


@given(st.integers(0, 2**32 - 1), st.integers(0, 3))
@settings(max_examples=20)
def test_any_numbers_in_the_tables_end(seed, steps):
    """Tables without a free place, and numbers that no text gives."""
    random = np.random.default_rng(seed)
    tables, rest = count([["a", "b", "c"], ["b", "a"]])
    for name, array in tables.items():
        most = np.iinfo(array.dtype).max
        drawn = random.integers(1, most, len(array), dtype=np.uint64, endpoint=True)
        tables[name] = drawn.astype(array.dtype)
    rest["steps"] = [steps, steps]
    asked = [["a", "b", "c"]]
    columns = read((tables, rest), asked)
    assert np.isfinite(columns["prob"]).all()
