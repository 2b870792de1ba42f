"""Groups made without a Span object for each span are as those made of Spans."""

import warnings

import numpy as np
import pytest
import spacy
import srsly
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span, SpanGroup

from spacy_latperc.io.span_groups import (
    read_characters,
    read_groups,
    span_group,
    span_groups,
)
from spacy_latperc.kernels.text import SpanCursor

WORDS = st.lists(st.sampled_from(["a", "bcd", "été", "\U0001f600"]), max_size=6)


@pytest.fixture(scope="module")
def vocab():
    vocab = spacy.blank("xx").vocab
    for label in ("NP", "VP"):
        vocab.strings.add(label)
    return vocab


@st.composite
def chunked(draw):
    """Words, whether spaces follow them, and spans that do not overlap."""
    words = draw(WORDS)
    spaces = draw(st.lists(st.booleans(), min_size=len(words), max_size=len(words)))
    cuts = sorted(draw(st.sets(st.integers(0, len(words)))))
    spans = [
        (start, end, draw(st.sampled_from(["NP", "VP"])))
        for start, end in zip(cuts, cuts[1:], strict=False)
        if draw(st.booleans())
    ]
    return words, spaces, spans


def as_bytes(doc, spans):
    made = [Span(doc, *span) for span in spans]
    return SpanGroup(doc, name="k", spans=made).to_bytes()


@given(st.lists(chunked(), max_size=4), st.booleans())
def test_span_groups_are_those_of_span_objects(vocab, given, read_before):
    docs = [Doc(vocab, words=words, spaces=spaces) for words, spaces, _ in given]
    offsets = np.cumsum([0, *map(len, docs)], dtype=np.int64)
    flat = [
        (start + at, end + at, vocab.strings[label])
        for (_, _, spans), at in zip(given, offsets.tolist(), strict=False)
        for start, end, label in spans
    ]
    columns = [np.array(x, dtype=np.uint64) for x in zip(*flat, strict=True)]
    starts, ends, labels = columns or [np.zeros(0, dtype=np.uint64)] * 3
    characters = None
    if read_before and docs:
        characters = read_characters(docs, ends)
    spans = (starts.astype(np.int32), ends.astype(np.int32), labels)
    found = span_groups(docs, "k", offsets, spans, characters)
    for doc, group, (_, _, expected) in zip(docs, found, given, strict=True):
        assert group.to_bytes() == as_bytes(doc, expected)
        numbers = [(start, end, vocab.strings[x]) for start, end, x in expected[::-1]]
        own = np.array(numbers, dtype=np.uint64).reshape(-1, 3).T
        assert span_group(doc, "k", own).to_bytes() == as_bytes(doc, expected[::-1])


@pytest.mark.parametrize(
    ("starts", "ends"), [([0], [3]), ([1], [1]), ([-1], [1]), ([0, 1], [1])]
)
def test_span_cursors_are_within_the_batch(starts, ends):
    begins = np.zeros(2, dtype=np.uint64)
    labels = np.zeros(len(starts), dtype=np.uint64)
    tokens = (np.array(x, dtype=np.int32) for x in (starts, ends))
    with pytest.raises(ValueError, match=r"span|lengths"):
        SpanCursor(*tokens, labels, begins, labels)


def test_span_groups_hold_spans_of_their_own(vocab):
    doc = Doc(vocab, words=["a", "b", "c"])
    label = vocab.strings["NP"]
    doc.spans["k"] = span_group(doc, "k", ([0, 1], [1, 3], [label, label]))
    first, second = doc.spans["k"]
    assert (first.text, second.text, second.label_) == ("a", "b c", "NP")
    assert doc.copy().spans["k"].to_bytes() == doc.spans["k"].to_bytes()
    one = np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.int32)
    ones = np.ones(1, dtype=np.uint64)
    cursor = SpanCursor(*one, np.zeros(1, dtype=np.uint64), ones, ones)
    with pytest.raises(ValueError, match="not so many"):
        cursor.over(Span(Doc(vocab, words=["a"]), 0, 0), 0, 2, 0)


def groups_of(doc):
    return {key: group.to_bytes() for key, group in doc.spans.items()}


def merged(doc):
    doc.spans["k"] = [Span(doc, 1, 3, "NP"), Span(doc, 0, 1, "VP")]
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])


def scored(doc):
    scores = {"scores": np.array([0.5], dtype=np.float32)}
    return SpanGroup(doc, name="k", spans=[Span(doc, 0, 1)], attrs=scores)


def named(doc):
    group = SpanGroup(doc, name="n", spans=[doc[0:2]])
    return {"k": group, "other": group}


GROUPS = {
    "plain": lambda d: {"k": [Span(d, 0, 1, "NP"), Span(d, 1, 3, "VP")], "none": []},
    "attributes": lambda d: {"k": scored(d)},
    "identifiers": lambda d: {
        "k": [Span(d, 0, 2, "NP", kb_id="Q1"), Span(d, 2, 3, span_id="x")]
    },
    "out of order": lambda d: {
        "k": [Span(d, 1, 3, "NP"), Span(d, 0, 1, "VP"), Span(d, 2, 2)]
    },
    "other tokens": merged,
    "one name": named,
    "nothing": lambda d: {},
}


@pytest.mark.parametrize("kind", GROUPS)
def test_span_groups_are_read_as_spacy_reads_them(vocab, kind):
    doc = Doc(vocab, words=["a", "b", "c"])
    for key, group in (GROUPS[kind](doc) or {}).items():
        doc.spans[key] = group
    data = doc.spans.to_bytes()
    for saved in (data, srsly.msgpack_dumps([*groups_of(doc).values()])):
        found, expected = (Doc(vocab, words=["a", "b", "c"]) for _ in range(2))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # two groups of one name in a list
            read_groups(found, saved)
            expected.spans.from_bytes(saved)
        assert groups_of(found) == groups_of(expected)
    assert all(isinstance(x, SpanGroup) for x in found.spans.values())
