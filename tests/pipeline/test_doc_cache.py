"""What is kept of Docs goes with them, and with copies of the cache."""

import copy
import gc
import pickle

import pytest
import spacy
from builders.pipelines import (
    SENTENCES,
    make_doc,
    make_examples,
    make_pipeline,
    templates,
)
from spacy.tokens import Doc
from spacy.training import Example

from spacy_latperc.pipeline.memory import DocCache


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("xx")


def test_doc_cache_returns_what_was_put(nlp):
    cache = DocCache()
    first, second = make_doc(nlp, ["a"]), make_doc(nlp, ["a"])
    cache.put(first, "x", nbytes=3)
    assert cache.get(first) == "x"
    assert cache.get(second) is None


def test_doc_cache_replaces(nlp):
    cache = DocCache()
    doc = make_doc(nlp, ["a"])
    cache.put(doc, "x", nbytes=3)
    cache.put(doc, "y", nbytes=5)
    assert cache.get(doc) == "y"
    assert (len(cache), cache.nbytes) == (1, 5)


def test_doc_cache_goes_with_its_docs(nlp):
    cache = DocCache()
    docs = [make_doc(nlp, ["a"]) for _ in range(10)]
    for doc in docs:
        cache.put(doc, "x", nbytes=2)
    del doc, docs[3:]
    gc.collect()
    assert (len(cache), cache.nbytes) == (3, 6)


def test_doc_cache_is_bounded(nlp):
    cache = DocCache(limit=5)
    docs = [make_doc(nlp, ["a"]) for _ in range(3)]
    for doc in docs:
        cache.put(doc, "x", nbytes=2)
    assert [cache.get(doc) for doc in docs] == ["x", "x", None]
    assert cache.nbytes == 4


def test_doc_cache_forgets_after_clear(nlp):
    cache = DocCache()
    doc = make_doc(nlp, ["a"])
    cache.put(doc, "x", nbytes=2)
    cache.clear()
    assert cache.get(doc) is None
    del doc
    assert cache.nbytes == 0


@pytest.mark.parametrize(
    "duplicate", (copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c)))
)
def test_doc_cache_copies_start_empty(nlp, duplicate):
    cache = DocCache(limit=9)
    doc = make_doc(nlp, ["a"])
    cache.put(doc, "x", nbytes=2)
    other = duplicate(cache)
    assert (len(other), other.nbytes, other.limit) == (0, 0, 9)
    assert cache.get(doc) == "x"


# In a component -----------------------------------------------------------------------


def test_doc_cache_features_are_computed_once():
    nlp = make_pipeline("latperc_tagger")
    component = nlp.get_pipe("latperc_tagger")
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    asked = []
    extract = component.learner.extract

    def counted(batch, **kwargs):
        asked.append(len(batch.values))
        return extract(batch, **kwargs)

    component.learner.extract = counted
    for _ in range(3):
        nlp.update(examples)
    assert asked == [sum(len(sentence.words) for sentence in SENTENCES)]


def test_doc_cache_notices_other_tags():
    """A tagger before us changes the input from pass to pass."""

    def train(*, forget: bool) -> bytes:
        nlp = make_pipeline("latperc_chunker", features=templates("t[0]", "w[0]"))
        component = nlp.get_pipe("latperc_chunker")
        golds = [example.reference for example in make_examples(nlp)]
        nlp.initialize(lambda: make_examples(nlp))
        for tag in ("A", "B", "A", "C"):
            predicted = [
                Doc(nlp.vocab, words=s.words, tags=[tag] * len(s.words))
                for s in SENTENCES
            ]
            component.update(
                [Example(x, y) for x, y in zip(predicted, golds, strict=True)]
            )
            if forget:
                golds = [example.reference for example in make_examples(nlp)]
        return component.model.to_bytes()

    assert train(forget=False) == train(forget=True)


def test_doc_cache_notices_other_sentence_starts():
    def train(*, forget: bool) -> bytes:
        nlp = make_pipeline("latperc_tagger")
        component = nlp.get_pipe("latperc_tagger")
        gold = make_examples(nlp)[0].reference
        nlp.initialize(lambda: make_examples(nlp))
        n = len(gold)
        for starts in ([True] * n, [True] + [False] * (n - 1), None):
            words = [token.text for token in gold]
            predicted = make_doc(nlp, words, sent_starts=starts)
            component.update([Example(predicted, gold)])
            if forget:
                gold = make_examples(nlp)[0].reference
        return component.model.to_bytes()

    assert train(forget=False) == train(forget=True)


def test_doc_cache_notices_other_tokens():
    def train(*, forget: bool) -> bytes:
        nlp = make_pipeline("latperc_ner")
        component = nlp.get_pipe("latperc_ner")
        gold = make_examples(nlp)[1].reference
        nlp.initialize(lambda: make_examples(nlp))
        text = gold.text
        for words in (text.split(), ["Yesterday", "Acme Corp", *text.split()[3:]]):
            predicted = Doc(nlp.vocab, words=words)
            component.update([Example(predicted, gold)])
            if forget:
                gold = make_examples(nlp)[1].reference
        return component.model.to_bytes()

    assert train(forget=False) == train(forget=True)
