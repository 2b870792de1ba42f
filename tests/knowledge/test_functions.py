"""Functions of a Doc as a source of attributes."""

import numpy as np
import pytest
import spacy
from builders.pipelines import QUICK_LEARNER, make_doc, templates, train
from spacy.tokens import Doc
from spacy.training import Example

from spacy_latperc.features.sources import Tokens
from spacy_latperc.features.values import DenseColumn, ListedColumn
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


def test_functions_give_arrays():
    source = function(lambda doc: np.full((len(doc), 3), len(doc), dtype=np.float64))
    found = read(source, doc_of("c d"), doc_of(""), doc_of("b"))
    assert isinstance(found, DenseColumn)
    assert found.numbers.tolist() == [[2.0] * 3] * 2 + [[1.0] * 3]
    assert found.hashes[0] == found.hashes[1] != found.hashes[2]
    assert len(read(source, doc_of(""))) == 0


@pytest.mark.parametrize(
    "width, value, message",
    [
        (lambda doc: 3, np.nan, r"\[LP750\].*nan at token 1 of 'a b'"),
        (lambda doc: 3, 1e30, r"\[LP750\].*1e\+30"),
        (len, 0.5, r"\[LP757\].*shape \(1, 1\) for 'c'.*\(1, 2\)"),
    ],
)
def test_arrays_are_checked(width, value, message):
    def give(doc):
        rows = np.zeros((len(doc), width(doc)))
        rows[-1, -1] = value
        return rows

    with pytest.raises(ValueError, match=message):
        read(function(give), doc_of("a b"), doc_of("c"))


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
