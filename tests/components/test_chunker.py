"""The chunker: spans under a key, in every representation."""

import pytest
from pipelines import (
    SENTENCES,
    TEXTS,
    example_of,
    make_config,
    make_doc,
    make_examples,
    make_pipeline,
    make_trained,
    train,
    triples,
)
from spacy.tokens import Span

from spacy_latperc.schemes import SCHEMES

CHUNKER = "latperc_chunker"


@pytest.mark.parametrize("scheme", [*SCHEMES, "IOBES", "bio"])
def test_chunker_learns_every_representation(scheme):
    nlp = make_trained(CHUNKER, scheme=scheme, passes=30)
    for text, sentence in zip(TEXTS, SENTENCES, strict=True):
        doc = nlp(text)
        assert triples(doc.spans["chunks"]) == sentence.chunks


@pytest.mark.parametrize("scheme", SCHEMES)
def test_chunker_tells_neighbours_of_one_type_apart(scheme):
    nlp = make_pipeline(CHUNKER, scheme=scheme)
    spans = [(0, 2, "NP"), (2, 3, "NP"), (3, 4, "VP"), (4, 5, "NP"), (5, 6, "NP")]
    words = "give the man a big book".split()
    train(nlp, [example_of(nlp, words, chunks=spans)], 30)
    doc = nlp(make_doc(nlp, words))
    assert triples(doc.spans["chunks"]) == spans


def test_chunker_chunks_end_with_their_sentence():
    nlp = make_trained(CHUNKER, passes=30)
    words = "Ada Lovelace".split()
    doc = nlp(make_doc(nlp, words))
    assert triples(doc.spans["chunks"]) == [(0, 2, "NP")]
    doc = nlp(make_doc(nlp, words, sent_starts=[True, True]))
    assert all(span.end - span.start == 1 for span in doc.spans["chunks"])


# The key ------------------------------------------------------------------------------


def test_chunker_reads_and_writes_its_key():
    nlp = make_trained(CHUNKER, spans_key="np", passes=30)
    doc = nlp(TEXTS[0])
    assert list(doc.spans) == ["np"]
    assert triples(doc.spans["np"]) == SENTENCES[0].chunks


def test_chunker_other_keys_have_no_labels():
    nlp = make_pipeline(CHUNKER, spans_key="np")
    with pytest.raises(ValueError, match="LP032.*spans_key"):
        nlp.initialize(lambda: make_examples(nlp, spans_key="chunks"))


def test_chunker_scores_do_not_depend_on_the_key():
    nlp = make_trained(CHUNKER, spans_key="np", passes=30)
    examples = make_examples(nlp, spans_key="np")
    scores = nlp.evaluate(examples)
    for name in ("p", "r", "f", "per_type"):
        assert scores[f"chunks_{name}"] == scores[f"spans_np_{name}"]
    assert scores["chunks_f"] == 1.0


def test_chunker_keys_survive_saving(tmp_path):
    import spacy

    make_trained(CHUNKER, spans_key="np", passes=30).to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    doc = nlp(TEXTS[0])
    assert triples(doc.spans["np"]) == SENTENCES[0].chunks


def test_chunker_two_keys_have_two_scores():
    nlp = make_pipeline(CHUNKER)
    nlp.add_pipe(CHUNKER, name="second", config=make_config(spans_key="np"))
    examples = make_examples(nlp)
    for example in examples:
        nouns = [s for s in example.y.spans["chunks"] if s.label_ == "NP"]
        example.y.spans["np"] = nouns
    scores = train(nlp, examples, 30).evaluate(examples)
    assert scores["spans_chunks_f"] == scores["spans_np_f"] == 1.0
    assert set(scores["spans_np_per_type"]) == {"NP"}
    assert set(scores["spans_chunks_per_type"]) == {"NP", "PP", "VP"}


def test_chunker_replaces_its_group_and_no_other():
    nlp = make_trained(CHUNKER, passes=30)
    doc = make_doc(nlp, SENTENCES[0].words, chunks=[(0, 8, "OLD")])
    doc.spans["mine"] = [Span(doc, 0, 1, label="MINE")]
    doc = nlp(doc)
    assert triples(doc.spans["chunks"]) == SENTENCES[0].chunks
    assert triples(doc.spans["mine"]) == [(0, 1, "MINE")]


# Gold ---------------------------------------------------------------------------------


@pytest.mark.parametrize("spans", ([(0, 2, "NP"), (1, 3, "NP")], [(0, 1, "NP")] * 2))
def test_chunker_overlapping_chunks_are_refused(spans):
    nlp = make_trained(CHUNKER)
    example = example_of(nlp, ["a", "b", "c"], chunks=spans)
    with pytest.raises(ValueError, match=f"LP036.*'{CHUNKER}'.*'a b c '.*tokens 0 to"):
        nlp.update([example])


def test_chunker_nested_chunks_are_refused():
    nlp = make_trained(CHUNKER)
    spans = [(0, 4, "NP"), (1, 2, "NP"), (3, 4, "NP")]
    with pytest.raises(ValueError, match="LP036.*tokens 0 to 3 and 1 to 1"):
        nlp.update([example_of(nlp, ["a", "b", "c", "d"], chunks=spans)])


def test_chunker_a_replaced_group_is_read_again():
    nlp = make_pipeline(CHUNKER)
    component = nlp.get_pipe(CHUNKER)
    component.add_label("NP")
    example = example_of(nlp, ["a", "b", "c"], chunks=[(0, 1, "NP")])
    ((_, before),) = component.prepare([example])
    example.y.spans["chunks"] = [Span(example.y, 1, 3, label="NP")]
    ((_, after),) = component.prepare([example])
    labels = component.learner.labels
    assert [labels[i] for i in before] == ["S-NP", "O", "O"]
    assert [labels[i] for i in after] == ["O", "B-NP", "E-NP"]


def test_chunker_an_extended_group_is_read_again():
    nlp = make_pipeline(CHUNKER)
    component = nlp.get_pipe(CHUNKER)
    component.add_label("NP")
    example = example_of(nlp, ["a", "b", "c"], chunks=[(0, 1, "NP")])
    component.prepare([example])
    example.y.spans["chunks"].append(Span(example.y, 2, 3, label="NP"))
    ((_, after),) = component.prepare([example])
    assert [component.learner.labels[i] for i in after] == ["S-NP", "O", "S-NP"]


def test_chunker_gold_in_any_order():
    nlp = make_pipeline(CHUNKER)
    component = nlp.get_pipe(CHUNKER)
    component.add_label("NP")
    example = example_of(nlp, ["a", "b", "c"], chunks=[(2, 3, "NP"), (0, 2, "NP")])
    ((_, labels),) = component.prepare([example])
    assert [component.learner.labels[i] for i in labels] == ["B-NP", "E-NP", "S-NP"]


def test_chunker_chunks_without_a_label_are_refused():
    nlp = make_pipeline(CHUNKER)
    example = example_of(nlp, ["a", "b"], chunks=[(0, 1, "")])
    with pytest.raises(ValueError, match="LP031"):
        nlp.initialize(lambda: [example])
