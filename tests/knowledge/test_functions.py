"""Functions of a Doc as a source of attributes."""

import numpy as np
import pytest
import spacy
from builders.pipelines import QUICK_LEARNER, make_doc, templates, train
from spacy.tokens import Doc
from spacy.training import Example

from spacy_latperc.features.sources import Tokens
from spacy_latperc.features.values import ListedColumn
from spacy_latperc.kernels.chains import text_hash
from spacy_latperc.knowledge.functions import function

VOCAB = spacy.blank("xx").vocab


def give(doc):
    return [{"a": ["x", "y"], "b": 0.5, "c": "z"}.get(t.orth_) for t in doc]


@spacy.registry.misc("test.Give.v1")
def make_give():
    return give


def read(source, *docs):
    offsets = np.cumsum([0, *map(len, docs)])
    words = np.asarray([token.orth for doc in docs for token in doc], dtype=np.uint64)
    tokens = Tokens(docs, words, offsets, VOCAB.strings.__getitem__)
    return source.attribute("").of_docs(tokens)


def doc_of(text):
    return Doc(VOCAB, words=text.split())


def test_functions_give_values():
    found = read(function(give), doc_of("c d"), doc_of(""), doc_of("b a"))
    assert isinstance(found, ListedColumn)
    assert found.hashes[:2].tolist() == [text_hash("z"), 0]
    assert found.list_of.tolist() == [0, 0, 1, 2]
    assert list(found.items(2).values()) == [0.5]
    assert list(found.items(3)) == [text_hash("x"), text_hash("y")]
    found = read(function(lambda doc: ["x"] * len(doc)), doc_of("a b"))
    assert found.tolist() == [text_hash("x")] * 2


def make_pipeline():
    nlp = spacy.blank("xx")
    features = templates("bias", "fn.mine[0]")
    features["sources"] = {
        "mine": {
            "@misc": "spacy_latperc.Function.v1",
            "function": {"@misc": "test.Give.v1"},
        }
    }
    model = {"features": features, "learner": QUICK_LEARNER}
    nlp.add_pipe("latperc_tagger", config={"model": model})
    return nlp


def test_functions_are_learned_from_and_loaded(tmp_path):
    nlp = make_pipeline()
    words, tags = list("abcd"), list("ABCD")
    train(nlp, [Example(make_doc(nlp, words), make_doc(nlp, words, tags=tags))])
    assert [token.tag_ for token in nlp(make_doc(nlp, words))] == tags
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert [token.tag_ for token in again(make_doc(again, words))] == tags
    assert again.to_bytes() == nlp.to_bytes()
    docs = again.pipe([make_doc(again, words) for _ in range(4)], n_process=2)
    assert [[token.tag_ for token in doc] for doc in docs] == [tags] * 4


# What is refused ----------------------------------------------------------------------


def test_functions_must_give_a_value_for_each_token_and_know_nothing():
    short = function(lambda doc: ["x"])
    broken = function(lambda doc: [float("nan") if t.i else None for t in doc])
    for source, message in (
        (short, "LP753.*gave 1 values for the 2 tokens of 'a b'"),
        (broken, "LP750.*nan at token 1 of 'a b'"),
    ):
        with pytest.raises(ValueError, match=message):
            read(source, doc_of("c"), doc_of("a b"))
    with pytest.raises(ValueError, match="LP709"):
        function(give).attribute("x")
    with pytest.raises(ValueError, match="function"):
        function("give")
    source = function(give)
    source.from_bytes(source.to_bytes())
    assert source.nbytes == 0
    with pytest.raises(ValueError, match="nothing"):
        source.from_bytes(b"x")
