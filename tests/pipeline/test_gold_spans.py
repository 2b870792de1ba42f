"""Gold is that of now in every update, whatever was corrected in place."""

import contextlib
import copy

import pytest
from builders.pipelines import make_pipeline
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from spacy_latperc.label_sets import allow


def make_group(doc):
    return SpanGroup(doc, name="chunks", spans=[Span(doc, 0, 1, "NP")])


def replace_first(group, doc):
    group[0] = Span(doc, 1, 3, "NEW")


# Each brings another NP to the first token of a Doc, or takes that away.
CHANGES = {
    "in place": lambda doc: replace_first(doc.spans["chunks"], doc),
    "another group": lambda doc: doc.spans.update(chunks=[Span(doc, 0, 1, "NP")]),
    "beneath": lambda doc: doc.spans.data.update(chunks=make_group(doc)),
    "none": lambda doc: doc.spans.pop("chunks"),
    "cleared": lambda doc: doc.spans.clear(),
    "copied": lambda doc: replace_first(copy.copy(doc.spans)["chunks"], doc),
    "not annotated": lambda doc: doc.spans.update(missing_chunks=[doc[3:4]]),
    "label sets": lambda doc: allow(doc, "chunks", {3: ["O", "B-NP"]}),
    "nothing": lambda doc: None,
}


@pytest.fixture(scope="module")
def chunker():
    pipe = make_pipeline("latperc_chunker").get_pipe("latperc_chunker")
    pipe.initialize(lambda: two_examples(pipe), labels=["NP", "VP", "NEW"])
    return pipe


def two_examples(pipe):
    examples = []
    for _ in range(2):
        gold = Doc(pipe.vocab, words="a b c d e f".split())
        gold.spans["chunks"] = [Span(gold, 0, 1, "NP"), Span(gold, 4, 6, "VP")]
        examples.append(Example(gold.copy(), gold))
    return examples


@given(st.lists(st.tuples(st.integers(0, 1), st.sampled_from(sorted(CHANGES)))))
def test_gold_is_that_of_now(chunker, steps):
    examples = two_examples(chunker)
    for number, name in [*steps, (0, "nothing"), (1, "nothing")]:
        with contextlib.suppress(KeyError):
            CHANGES[name](examples[number].reference)
        again = chunker.prepare(examples, remember=True)
        for (_, gold), (_, fresh) in zip(again, chunker.prepare(examples), strict=True):
            assert gold.tolist() == fresh.tolist()


CORRECT = {
    "latperc_tagger": lambda doc: setattr(doc[0], "tag_", "B"),
    "latperc_ner": lambda doc: doc.set_ents([Span(doc, 1, 2, "B")]),
    "latperc_chunker": lambda doc: doc.spans["chunks"].__setitem__(
        0, Span(doc, 1, 2, "B")
    ),
}


@pytest.mark.parametrize("factory", CORRECT)
def test_gold_that_is_corrected_in_place_counts_without_a_call(factory):
    """Two epochs of which the second has other gold, with Docs that are the same or
    are made anew: a cache that still had the old gold would learn something else."""

    def make_gold(vocab):
        doc = Doc(vocab, words=["a", "b"], tags=["A", "A"], ents=["B-A", "O"])
        doc.spans["chunks"] = [Span(doc, 0, 1, "A")]
        return doc

    def train(in_place: bool) -> bytes:
        nlp = make_pipeline(factory)
        component = nlp.get_pipe(factory)
        gold = make_gold(nlp.vocab)
        first = [Example(Doc(nlp.vocab, words=["a", "b"]), gold)]
        component.initialize(lambda: first, labels=["A", "B"])
        component.update(first)
        gold = gold if in_place else make_gold(nlp.vocab)
        CORRECT[factory](gold)
        component.update([Example(Doc(nlp.vocab, words=["a", "b"]), gold)])
        return component.model.to_bytes()

    assert train(True) == train(False)
