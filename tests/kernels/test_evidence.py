"""Evidence of n-grams against its slow twin, also with sentences left out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.evidence import Evidence

from spacy_latperc.kernels.chains import text_hash
from spacy_latperc.kernels.text import (
    EVIDENCE_SMOOTHINGS,
    Vocabulary,
    count_evidence,
    read_evidence,
)

SENTENCES = st.lists(st.sampled_from("abcd"), min_size=1, max_size=7)
TEXTS = st.lists(SENTENCES, min_size=1, max_size=12)
ROOMY = 1 << 20
OTHERS = {"a": ["b", "d"], "c": ["never-seen"], "d": ["a"]}


def count(text, order=3, most=ROOMY, sentences=True):
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
        sentences=sentences,
    )


def hashes(words):
    return np.asarray([text_hash(word) for word in words], dtype=np.uint64)


def bounds_of(sentences):
    return np.cumsum([0, *map(len, sentences)], dtype=np.int64)


def read(found, sentences, smoothing, own=None):
    """What a table says of sentences, by name. `own`: left out, for each sentence."""
    left_out = {}
    if own is not None:
        left_out = {
            "own_keys": hashes(w for group in own for words in group for w in words),
            "own_bounds": bounds_of([words for group in own for words in group]),
            "own_of": bounds_of(own),
        }
    rows = {text_hash(word): hashes(found) for word, found in OTHERS.items()}
    words = sorted(rows)
    alternatives = {
        "alternative_words": np.asarray(words, dtype=np.uint64),
        "alternative_begin": bounds_of([rows[word] for word in words]),
        "alternative_others": np.concatenate([rows[word] for word in words]),
    }
    return read_evidence(
        found["slots"],
        found["followers"],
        hashes(word for words in sentences for word in words),
        bounds_of(sentences),
        least=found["least"],
        discounts=found["discounts"],
        tokens=found["tokens"],
        words=found["words"],
        smoothing=EVIDENCE_SMOOTHINGS.index(smoothing),
        **alternatives,
        **left_out,
    )


def check(found, twins, sentences, smoothing, own=None, names=None):
    columns = read(found, sentences, smoothing, own)
    for start, twin, words in zip(bounds_of(sentences), twins, sentences, strict=False):
        for name, wanted in twin.judge(words).items():
            if names is None or name in names:
                got = columns[name][start : start + len(words)]
                np.testing.assert_allclose(got, wanted, rtol=1e-5, err_msg=name)


@pytest.mark.parametrize("smoothing", EVIDENCE_SMOOTHINGS)
@given(TEXTS, st.lists(SENTENCES, min_size=1, max_size=4), st.integers(2, 5))
@settings(max_examples=60)
def test_evidence_is_that_of_the_twin(smoothing, text, asked, order):
    found = count(text, order)
    assert found["least"] == [1] * order
    twin = Evidence(text, found["least"], smoothing, found["discounts"], OTHERS)
    assert (found["tokens"], found["words"]) == (twin.tokens, twin.words)
    check(found, [twin] * len(asked), asked, smoothing)


@pytest.mark.parametrize("smoothing", EVIDENCE_SMOOTHINGS)
@given(TEXTS, st.lists(st.lists(SENTENCES, max_size=2), min_size=1, max_size=3))
@settings(max_examples=60)
def test_leaving_out_is_counting_without(smoothing, text, own):
    """Sentences of the text, others, and several at once; each with all its copies."""
    own = [*own, text[:1], text[:2], [text[0], text[0]][:1]]
    asked = [text[0]] * len(own)
    found = count(text)
    twins = []
    for group in own:
        rest = [words for words in text if words not in group]
        least, discounts = found["least"], found["discounts"]
        twins.append(Evidence(rest, least, smoothing, discounts, OTHERS))
    # A sentence may be named once only.
    own = [[list(words) for words in dict.fromkeys(map(tuple, group))] for group in own]
    check(found, twins, asked, smoothing, own)


@given(TEXTS.filter(lambda text: sum(map(len, text)) > 8), st.integers(2, 4))
@settings(max_examples=40)
def test_rare_ngrams_are_left_out_to_save_room(text, order):
    found = count(text * 3 + [["a", "b", "c", "d", "a", "c"]], order, most=5 * 40 + 200)
    least = found["least"]
    assert least == sorted(least)
    assert len(found["slots"]) * 5 <= 5 * 40 + 200
    twin = Evidence(
        text * 3 + [["a", "b", "c", "d", "a", "c"]],
        least,
        "absolute",
        found["discounts"],
        OTHERS,
    )
    check(found, [twin] * len(text), text, "absolute")


def test_counts_are_exact_when_small_and_near_when_large():
    for n in (1, 2, 126, 127, 128, 200, 999, 5000, 20_000):
        columns = read(count([["a", "b"]] * n), [["a", "b"]], "absolute")
        expected = pytest.approx(n, rel=0 if n <= 127 else 0.07)
        assert columns["pair"].tolist() == [expected, expected]


def test_sentences_that_the_text_does_not_have_are_not_left_out():
    text = [["a", "b", "c"], ["a", "b", "d"]]
    found = count(text)
    plain = read(found, [["a", "b"]], "absolute")
    same = read(found, [["a", "b"]], "absolute", own=[[["a", "b"]]])
    assert {k: v.tolist() for k, v in plain.items()} == {
        k: v.tolist() for k, v in same.items()
    }
    without = count(text, sentences=False)
    assert (without["slots"] > 0).sum() == (found["slots"] > 0).sum() - 2


def test_words_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="room"):
        count([[f"w{i}" for i in range(100)]], most=200)


def test_bounds_are_checked():
    found = count([["a", "b", "c"]])
    tables = found["slots"], found["followers"]
    rest = {k: found[k] for k in ("least", "discounts", "tokens", "words")}
    rest["alternative_words"] = rest["alternative_others"] = hashes("")
    rest["alternative_begin"] = np.zeros(1, dtype=np.int64)
    keys = hashes("ab")
    good = np.asarray([0, 2], dtype=np.int64)
    for bad in ([0, 3], [2, 0]):
        with pytest.raises(IndexError, match="bound"):
            read_evidence(*tables, keys, np.asarray(bad), smoothing=0, **rest)
    with pytest.raises(IndexError, match="bound"):
        read_evidence(
            *tables,
            keys,
            good,
            smoothing=0,
            own_keys=keys,
            own_bounds=good,
            own_of=np.asarray([0, 2]),
            **rest,
        )
    with pytest.raises(ValueError, match="slots"):
        read_evidence(tables[0], tables[1][1:], keys, good, smoothing=0, **rest)
