"""Vectors of earlier components and of functions, as a source of attributes."""

from types import SimpleNamespace

import numpy as np
import pytest
import spacy
from builders.pipelines import QUICK_LEARNER, make_doc, templates
from spacy.tokens import Doc
from spacy.training import Example
from thinc.types import Ragged

from spacy_latperc.features.sources import Givens, Tokens
from spacy_latperc.knowledge.doc_tensor import doc_tensor, transformer_vectors

VOCAB = spacy.blank("xx").vocab
PIECES = np.arange(12, dtype=np.float32).reshape(6, 2)
LENGTHS = np.array([2, 0, 1, 3])
MEANS = [[1, 2], [0, 0], [4, 5], [8, 9]]


def test_pieces_of_curated_transformers_are_averaged():
    outputs = [Ragged(PIECES * x, LENGTHS) for x in (1, 3)]
    output = SimpleNamespace(all_outputs=outputs)
    assert transformer_vectors(output).tolist() == (3 * np.array(MEANS)).tolist()
    found = transformer_vectors(output, layers=[0, 1])
    assert found.tolist() == (2 * np.array(MEANS)).tolist()


def test_pieces_of_transformers_are_averaged():
    spans = PIECES.reshape(2, 3, 2)
    states = {"last_hidden_state": spans, "hidden_states": [spans, spans * 3]}
    align = Ragged(np.array([0, 1, 2, 3, 4, 5]), LENGTHS)
    output = SimpleNamespace(model_output=states, align=align)
    assert transformer_vectors(output).tolist() == MEANS
    found = transformer_vectors(output, layers=[0, 1])
    assert found.tolist() == (2 * np.array(MEANS)).tolist()


def test_vectors_have_the_wanted_directions():
    docs = [Doc(VOCAB, words=["a"] * n) for n in (40, 0, 30)]
    rng = np.random.default_rng(0)
    table = {
        id(doc): rng.normal(size=(len(doc), 6)) * [9, 1, 1, 1, 1, 1] for doc in docs
    }
    source = doc_tensor(lambda doc: table[id(doc)], width=3, whitening=1, length=2)
    source.fit(Givens("x", VOCAB, examples=lambda: [Example(d, d) for d in docs]))
    found = source.attribute("").of_docs(Tokens.of(docs, {})).numbers
    assert found.shape == (70, 3)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1).mean(), 2, rtol=1e-3)
    deviations = found.std(axis=0)
    np.testing.assert_allclose(deviations / deviations[0], 1, rtol=1e-3)
    again = source.blank()
    again.from_bytes(source.to_bytes())
    same = again.attribute("").of_docs(Tokens.of(docs, {})).numbers
    np.testing.assert_array_equal(same, found)


def make_pipeline():
    """A tagger that reads doc.tensor of a component before it."""
    nlp = spacy.blank("xx")
    nlp.add_pipe("test_tensors")
    features = templates("bias", "vec.t[0]")
    features["sources"] = {"t": {"@misc": "spacy_latperc.DocTensor.v1", "width": 4}}
    model = {"features": features, "learner": QUICK_LEARNER}
    nlp.add_pipe("latperc_tagger", config={"model": model})
    return nlp


@spacy.Language.component("test_tensors")
def set_tensor(doc):
    letters = [ord(token.text[0]) - ord("a") for token in doc]
    doc.tensor = np.eye(5, dtype=np.float32)[letters]
    return doc


def test_a_tagger_reads_the_tensor_of_a_component(tmp_path):
    nlp = make_pipeline()
    words, tags = [*"abcde"], [*"ABCDE"]
    gold = make_doc(nlp, words, tags=tags)
    nlp.initialize(lambda: [Example(make_doc(nlp, words), gold)])
    for _ in range(10):
        nlp.update([Example(make_doc(nlp, words), gold)], annotates=["test_tensors"])
    assert [token.tag_ for token in nlp(make_doc(nlp, words))] == tags
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert [token.tag_ for token in again(make_doc(again, words))] == tags
    tagger = again.get_pipe("latperc_tagger")
    with pytest.raises(ValueError, match=r"\[LP689\].*'a b'"):
        tagger(make_doc(again, ["a", "b"]))


def test_explanations_name_the_places_of_vectors():
    nlp = make_pipeline()
    words, tags = [*"abcde"], [*"ABCDE"]
    gold = make_doc(nlp, words, tags=tags)
    nlp.initialize(lambda: [Example(make_doc(nlp, words), gold)])
    for _ in range(5):
        nlp.update([Example(make_doc(nlp, words), gold)], annotates=["test_tensors"])
    doc = set_tensor(make_doc(nlp, words))
    found = nlp.get_pipe("latperc_tagger").explain(doc, 0)
    assert "vec.t[0]=0" in str(found)
    assert "#" not in str(found)
