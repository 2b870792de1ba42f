"""doc.noun_chunks without a parser."""

import pickle

import pytest
import spacy
from builders import pipelines as small
from spacy.language import Language

CALLBACK = {"@callbacks": "spacy_latperc.NounChunks.v1"}
NOUN_CHUNKS = [(0, 2), (3, 6), (7, 8)]  # of the first sentence


def with_callback(nlp: Language, **settings) -> Language:
    config = nlp.config
    config["nlp"]["after_pipeline_creation"] = {**CALLBACK, **settings}
    other = type(nlp).from_config(config)
    return other.from_bytes(nlp.to_bytes())


@pytest.fixture
def nlp() -> Language:
    return with_callback(small.make_trained("latperc_chunker", passes=30))


def bounds(spans) -> list[tuple[int, int]]:
    return [(span.start, span.end) for span in spans]


def test_noun_chunks_are_the_chunks_of_the_doc(nlp):
    for _ in range(2):
        with nlp.memory_zone():
            doc = nlp(small.TEXTS[0])
            assert bounds(doc.noun_chunks) == NOUN_CHUNKS
            assert {chunk.label_ for chunk in doc.noun_chunks} == {"NP"}
            assert bounds(doc[2:7].noun_chunks) == [(3, 6)]
            assert bounds(doc[4:].noun_chunks) == [(7, 8)]
            assert bounds(doc[6:7].noun_chunks) == []
    for words in (["a", "b"], []):
        assert list(small.make_doc(nlp, words).noun_chunks) == []


def test_noun_chunks_survive_saving_and_pickling(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    for other in (nlp, spacy.load(tmp_path), pickle.loads(pickle.dumps(nlp))):
        doc = other(small.TEXTS[0])
        for each in (doc, pickle.loads(pickle.dumps(doc))):
            assert bounds(each.noun_chunks) == NOUN_CHUNKS


def test_noun_chunks_have_other_keys_and_labels_in_any_language():
    nlp = small.make_trained("latperc_chunker", spans_key="np", passes=30)
    nlp = with_callback(nlp, spans_key="np", labels=["VP", "PP"])
    doc = nlp(small.TEXTS[0])
    assert bounds(doc.noun_chunks) == [(2, 3), (6, 7)]
    trained = small.make_trained("latperc_chunker", passes=30)
    nlp = spacy.blank("de")
    nlp.config["nlp"]["after_pipeline_creation"] = CALLBACK
    nlp = type(nlp).from_config(nlp.config)
    nlp.add_pipe("latperc_chunker", source=trained)
    doc = nlp(small.make_doc(nlp, small.SENTENCES[0].words))
    assert bounds(doc.noun_chunks) == NOUN_CHUNKS


def test_noun_chunks_may_change_while_iterating_and_do_not_disturb_training(nlp):
    """The chunks are gathered first: a loop may change the Doc."""
    doc = nlp(small.TEXTS[0])
    for chunk in doc.noun_chunks:
        doc.spans["chunks"] = [doc[chunk.start : chunk.end]]
    assert len(doc.spans["chunks"]) == 1
    examples = small.make_examples(nlp)
    nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples)
    doc = nlp(small.TEXTS[1])
    assert small.triples(doc.spans["chunks"]) == small.SENTENCES[1].chunks
