"""Gold spans that are changed in place are seen; those that are not are not read."""

import contextlib
import copy
import operator

import numpy as np
import pytest
import spacy
from builders.pipelines import SENTENCES, make_doc, make_examples, make_pipeline
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from spacy_latperc.data import span_reads
from spacy_latperc.data.span_reads import (
    known_spans,
    note_written,
    read_all_spans,
    read_spans,
)
from spacy_latperc.label_sets import allow


def change(group, doc):
    group[0] = Span(doc, 1, 3, "NEW")


def replace_by_length(group, doc):
    spans = list(group)
    for _ in spans:
        del group[-1]
    group.extend([Span(doc, 1, 3, "NEW"), *spans[1:]])


def through_bytes(group, doc):
    other = doc.copy()
    change(other.spans["k"], other)
    group.from_bytes(other.spans["k"].to_bytes())


TAKEN = {
    "item": lambda doc: doc.spans["k"],
    "get": lambda doc: doc.spans.get("k"),
    "values": lambda doc: next(iter(doc.spans.values())),
    "items": lambda doc: dict(doc.spans)["k"],
    "setdefault": lambda doc: doc.spans.setdefault("k"),
}


@pytest.fixture
def doc() -> Doc:
    doc = make_doc(spacy.blank("xx"), "a b c d e".split())
    doc.spans["k"] = [Span(doc, 0, 1, "OLD"), Span(doc, 3, 5, "OLD")]
    return doc


@pytest.mark.parametrize("how", TAKEN)
@pytest.mark.parametrize("edit", [change, through_bytes])
def test_span_reads_see_changes_in_place(doc, how, edit):
    first = read_spans(doc, "k")
    edit(TAKEN[how](doc), doc)
    second = read_spans(doc, "k")
    assert first is not None and second is not None
    assert [spans[1:] for spans in first] == [spans[1:] for spans in second]
    assert (second[0][0], second[1][0]) == (1, 3)


def test_span_reads_see_changes_of_a_group_that_was_taken_before(doc):
    group = doc.spans["k"]
    read_spans(doc, "k")
    change(group, doc)
    assert read_spans(doc, "k")[0] == (1, 3)
    change(group, doc)
    group[0] = Span(doc, 2, 3, "NEW")
    assert read_spans(doc, "k")[0] == (2, 3)


def test_span_reads_see_changes_by_old_holders_of_all_groups(doc):
    groups = doc.spans
    read_spans(doc, "k")
    change(groups["k"], doc)
    assert read_spans(doc, "k")[0] == (1, 3)


def test_span_reads_see_another_group(doc):
    read_spans(doc, "k")
    doc.spans["k"] = [Span(doc, 2, 3, "NEW")]
    assert read_spans(doc, "k")[:2] == ((2,), (3,))
    del doc.spans["k"]
    assert read_spans(doc, "k") is None


def test_span_reads_happen_once_when_nobody_looks(doc, monkeypatch):
    calls = []
    group_spans = span_reads.group_spans
    monkeypatch.setattr(
        span_reads, "group_spans", lambda group: calls.append(0) or group_spans(group)
    )
    first = read_spans(doc, "k")
    assert read_spans(doc, "k") is first
    assert len(calls) == 1


def test_span_reads_leave_a_doc_that_can_be_copied_and_saved(doc):
    read_spans(doc, "k")
    for other in (doc.copy(), Doc(doc.vocab).from_bytes(doc.to_bytes())):
        assert [(s.start, s.end, s.label_) for s in other.spans["k"]] == [
            (0, 1, "OLD"),
            (3, 5, "OLD"),
        ]


@pytest.mark.parametrize(
    "factory, key, edit",
    [
        ("latperc_chunker", "chunks", (0, 2, "PP")),
        ("latperc_chunker", "missing_chunks", (4, 5, "")),
        ("latperc_ner", "wrong", (4, 5, "")),
    ],
)
def test_gold_changed_in_place_is_learned(factory, key, edit):
    """As from a Doc of its own that has the corrected gold from the start."""
    words, _, _, chunks, _ = SENTENCES[0]

    def example(nlp):
        gold = make_doc(nlp, words)
        gold.spans["chunks"] = [Span(gold, *chunk) for chunk in chunks[:2]]
        gold.spans.setdefault(key, [Span(gold, 3, 4, "")])
        return Example(make_doc(nlp, words), gold)

    def correct(example):
        example.reference.spans[key][0] = Span(example.reference, *edit)

    def learned(in_place):
        settings = {"incorrect_spans_key": key} if key == "wrong" else {}
        nlp = make_pipeline(factory, **settings)
        component = nlp.get_pipe(factory)
        first = example(nlp)
        component.initialize(lambda: [first], labels=["NP", "VP", "PP"])
        component.update([first])
        second = first if in_place else example(nlp)
        correct(second)
        component.update([second])
        return component.model.to_bytes()

    assert learned(in_place=True) == learned(in_place=False)


def test_span_reads_of_many_docs_are_those_of_each(doc):
    other, bare = doc.copy(), make_doc(spacy.blank("xx"), ["a"])
    docs = [doc, other, bare]
    for _ in range(2):
        assert read_all_spans(docs, "k") == [read_spans(x, "k") for x in docs]
        change(doc.spans["k"], doc)
    assert read_all_spans(docs, None) == [None, None, None]


def test_known_spans_are_read_where_nothing_was_noted(doc):
    assert known_spans(doc, "other") == set()
    for _ in range(2):
        assert known_spans(doc, "k") == set(zip(*read_spans(doc, "k"), strict=True))
        change(doc.spans["k"], doc)
        assert (1, 3, doc.vocab.strings["NEW"]) in known_spans(doc, "k")


@pytest.mark.parametrize("how", TAKEN)
def test_known_spans_are_read_again_after_a_group_was_taken_out(doc, how):
    rows = np.array([[0, 1, 7]], dtype=np.uint64)
    note_written(doc, "k", rows)
    assert known_spans(doc, "k") == {(0, 1, 7)}
    assert read_spans(doc, "k")[0] == (0, 3)  # what was written is noted apart
    change(TAKEN[how](doc), doc)
    assert (1, 3, doc.vocab.strings["NEW"]) in known_spans(doc, "k")
    note_written(doc, "k", rows)
    doc.spans["k"] = [Span(doc, 2, 3, "NEW")]
    assert known_spans(doc, "k") == {(2, 3, doc.vocab.strings["NEW"])}


def test_docs_whose_spans_were_written_share_nothing(doc):
    other = doc.copy()
    for each in (doc, other):
        note_written(each, "k", np.zeros((0, 3), dtype=np.uint64))
    read_spans(doc, "k")
    assert other.spans.known == {}


def test_predictions_that_are_changed_are_scored_as_changed():
    """What a component wrote while it learns is known, until somebody takes it out."""
    words, _, _, chunks, _ = SENTENCES[0]
    nlp = make_pipeline("latperc_chunker")
    component = nlp.get_pipe("latperc_chunker")
    gold = make_doc(nlp, words)
    gold.spans["chunks"] = [Span(gold, *chunk) for chunk in chunks]
    train = [Example(make_doc(nlp, words), gold)]
    component.initialize(lambda: train)
    for _ in range(20):
        component.update(train)
    predicted = list(component.pipe([make_doc(nlp, words) for _ in range(2)]))
    examples = [Example(doc, gold) for doc in predicted]
    assert component.score(examples)["chunks_f"] == 1.0
    group = predicted[1].spans["chunks"]
    group[0] = Span(predicted[1], group[0].start, group[0].end, "other")
    scores = component.score(examples)
    assert scores["chunks_per_type"].keys() > {"other"}
    assert scores["chunks_p"] == scores["chunks_r"] < 1.0


# What changes the spans of a Doc; each brings another NP to its first token, or takes
# that away.
CHANGES = {
    "in place": lambda doc: change(doc.spans["chunks"], doc),
    "through items": lambda doc: change(dict(doc.spans)["chunks"], doc),
    "another group": lambda doc: doc.spans.update(chunks=[Span(doc, 0, 1, "NP")]),
    "beneath": lambda doc: doc.spans.data.update(chunks=make_group(doc)),
    "beneath by key": lambda doc: operator.setitem(
        doc.spans.data, "chunks", make_group(doc)
    ),
    "joined": lambda doc: operator.ior(doc.spans, {"chunks": make_group(doc)}),
    "none": lambda doc: doc.spans.pop("chunks"),
    "none beneath": lambda doc: doc.spans.data.pop("chunks"),
    "cleared": lambda doc: doc.spans.clear(),
    "copied": lambda doc: change(copy.copy(doc.spans)["chunks"], doc),
    "not annotated": lambda doc: doc.spans.update(missing_chunks=[doc[3:4]]),
    "not annotated beneath": lambda doc: doc.spans.data.setdefault(
        "missing_chunks", SpanGroup(doc, name="missing_chunks", spans=[doc[3:4]])
    ),
    "label sets": lambda doc: allow(doc, "chunks", {3: ["O", "B-NP"]}),
    "nothing": lambda doc: None,
}


def make_group(doc):
    return SpanGroup(doc, name="chunks", spans=[Span(doc, 0, 1, "NP")])


@pytest.fixture(scope="module")
def chunker():
    pipe = make_pipeline("latperc_chunker").get_pipe("latperc_chunker")
    pipe.initialize(lambda: pair_of_examples(pipe), labels=["NP", "VP", "NEW"])
    return pipe


def pair_of_examples(pipe):
    examples = []
    for _ in range(2):
        gold = Doc(pipe.vocab, words="a b c d e f".split())
        gold.spans["chunks"] = [Span(gold, 0, 1, "NP"), Span(gold, 4, 6, "VP")]
        examples.append(Example(gold.copy(), gold))
    return examples


@given(st.lists(st.tuples(st.integers(0, 1), st.sampled_from(sorted(CHANGES)))))
def test_gold_of_a_pass_is_that_of_now(chunker, steps):
    """Whatever was done to reference Docs since the last pass, and however often."""
    examples = pair_of_examples(chunker)
    for number, name in [*steps, (0, "nothing"), (1, "nothing")]:
        with contextlib.suppress(KeyError):
            CHANGES[name](examples[number].reference)
        kept = chunker.prepare(examples, remember=True)
        for (_, gold), (_, fresh) in zip(kept, chunker.prepare(examples), strict=True):
            assert gold.tolist() == fresh.tolist()


def test_gold_under_another_key_is_read():
    pipe = make_pipeline("latperc_chunker").get_pipe("latperc_chunker")
    gold = Doc(pipe.vocab, words="a b c".split())
    gold.spans["chunks"] = [Span(gold, 0, 1, "NP")]
    gold.spans["other"] = [Span(gold, 1, 3, "NP")]
    examples = [Example(gold.copy(), gold)]
    pipe.initialize(lambda: examples, labels=["NP"])
    first, again = (pipe.prepare(examples, remember=True)[0][1] for _ in range(2))
    assert first.tolist() == again.tolist()
    pipe.key = "other"
    assert pipe.prepare(examples, remember=True)[0][1].tolist() != first.tolist()


def test_gold_is_not_looked_at_while_nothing_changes(monkeypatch):
    nlp = make_pipeline("latperc_chunker")
    pipe = nlp.get_pipe("latperc_chunker")
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    asked = []
    states = pipe.coder.gold_states
    monkeypatch.setattr(
        pipe.coder, "gold_states", lambda docs: asked.append(len(docs)) or states(docs)
    )
    for _ in range(3):
        nlp.update(examples)
    assert asked == [len(examples), 0, 0]
