"""Evidence of n-grams against its slow twin, also with sentences left out."""

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


def count(text, order=3, most=ROOMY, sentences=True):
    vocabulary = Vocabulary()
    lines = "\n".join(map(" ".join, text)).encode("utf8")
    ids, bounds, _ = vocabulary.read(lines)
    numbers = range(3, vocabulary.size)
    keys = [0, 0, 0, *(text_hash(vocabulary.word(number)) for number in numbers)]
    keys = np.asarray(keys, dtype=np.uint64)
    settings = {"order": order, "most": most, "sentences": sentences}
    return count_evidence(ids, bounds, keys, **settings)


def twin_of(text, found):
    return Evidence(text, found[1]["least"], found[1]["discounts"])


def hashes(words):
    return np.asarray([text_hash(word) for word in words], dtype=np.uint64)


def bounds_of(sentences):
    return np.cumsum([0, *map(len, sentences)], dtype=np.int64)


def read(found, sentences, own=None):
    """What a table says of sentences, by name. `own`: left out, for each sentence."""
    left_out = {}
    if own is not None:
        left_out = {
            "own_keys": hashes(w for group in own for words in group for w in words),
            "own_bounds": bounds_of([words for group in own for words in group]),
            "own_of": bounds_of(own),
        }
    tables, rest = found
    asked = hashes(word for words in sentences for word in words)
    given_ = tables, asked, bounds_of(sentences)
    marks = (None, evidence_marks(tables))
    plain, marked = (read_evidence(*given_, **rest, **left_out, marks=x) for x in marks)
    for name, values in plain.items():  # marks change nothing
        np.testing.assert_array_equal(marked[name], values, err_msg=name)
    return plain


# Of sums of discounts, which are rounded: before and after others are taken from them.
NEAR = {"prob": 0.01, "next": 0.01, "gap": 0.01}


def check(found, twins, sentences, own=None):
    columns = read(found, sentences, own)
    for start, twin, words in zip(bounds_of(sentences), twins, sentences, strict=False):
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
    check(found, [twin] * len(asked), asked)


OWN = st.lists(st.lists(SENTENCES, max_size=2), min_size=1, max_size=3)


@given(TEXTS, OWN, st.integers(2, 4))
@settings(max_examples=60)
def test_leaving_out_is_counting_without(text, own, order):
    """Sentences of the text, others, and several at once; each with all its copies."""
    own = [*own, text[:1], text[:2], [text[0], text[0]][:1]]
    asked = [text[0]] * len(own)
    found = count(text, order)
    rests = [[words for words in text if words not in group] for group in own]
    twins = [twin_of(rest, found) for rest in rests]
    # A sentence may be named once only.
    own = [[list(words) for words in dict.fromkeys(map(tuple, group))] for group in own]
    check(found, twins, asked, own)


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
    check(found, [twin] * len(text), text)


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


def test_sentences_that_the_text_does_not_have_are_not_left_out():
    text = [["a", "b", "c"], ["a", "b", "d"]]
    found = count(text)
    plain = read(found, [["a", "b"]])
    same = read(found, [["a", "b"]], own=[[["a", "b"]]])
    one, other = ({k: v.tolist() for k, v in x.items()} for x in (plain, same))
    assert one == other
    without = count(text, sentences=False)
    entries, fewer = (
        (x["slots"] > 0).sum() + (x["plain"] > 0).sum() for x, _ in (found, without)
    )
    assert fewer == entries - 2


def test_bounds_and_room_are_checked():
    with pytest.raises(ValueError, match="room"):
        count([[f"w{i}" for i in range(100)]], most=200)
    tables, rest = count([["a", "b", "c"]])
    keys = hashes("ab")
    good = np.asarray([0, 2], dtype=np.int64)
    for bad in ([0, 3], [2, 0]):
        with pytest.raises(IndexError, match="LP504"):
            read_evidence(tables, keys, np.asarray(bad), **rest)
    own = {"own_keys": keys, "own_bounds": good, "own_of": np.asarray([0, 2])}
    with pytest.raises(IndexError, match="LP504"):
        read_evidence(tables, keys, good, **own, **rest)
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
    columns = read((tables, rest), asked, own=[asked])
    assert np.isfinite(columns["prob"]).all()
