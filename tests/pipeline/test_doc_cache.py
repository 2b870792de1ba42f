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


def put(cache: DocCache, doc: Doc, value: str, nbytes: int) -> None:
    cache.add(doc, nbytes).state = value


def states(cache: DocCache, *docs: Doc) -> list:
    return [seen and seen.state for seen in cache.of(docs)]


def test_doc_cache_returns_what_was_put(nlp):
    cache = DocCache()
    first, second = make_doc(nlp, ["a"]), make_doc(nlp, ["a"])
    put(cache, first, "x", 3)
    assert states(cache, first, second) == ["x", None]


def test_doc_cache_replaces(nlp):
    cache = DocCache()
    doc = make_doc(nlp, ["a"])
    put(cache, doc, "x", 3)
    put(cache, doc, "y", 5)
    assert states(cache, doc) == ["y"]
    assert (len(cache), cache.nbytes) == (1, 5)


def test_doc_cache_begins_anew_with_nothing(nlp):
    cache = DocCache()
    doc = make_doc(nlp, ["a"])
    put(cache, doc, "x", 3)
    assert cache.add(doc, 3).gold is None
    assert states(cache, doc) == [None]


def test_doc_cache_goes_with_its_docs(nlp):
    cache = DocCache()
    docs = [make_doc(nlp, ["a"]) for _ in range(10)]
    for doc in docs:
        put(cache, doc, "x", 2)
    del doc, docs[3:]
    gc.collect()
    assert (len(cache), cache.nbytes) == (3, 6)


def test_doc_cache_is_bounded(nlp):
    cache = DocCache(limit=5)
    docs = [make_doc(nlp, ["a"]) for _ in range(3)]
    for doc in docs:
        put(cache, doc, "x", 2)
    assert states(cache, *docs) == ["x", "x", None]
    assert cache.nbytes == 4


def test_doc_cache_keeps_what_replaced_what_ends(nlp):
    """What was not kept, since it took too much, ends without taking anything away."""
    cache = DocCache(limit=5)
    doc = make_doc(nlp, ["a"])
    refused = cache.add(doc, 6)
    put(cache, doc, "x", 2)
    cache._drop_ended(refused)
    assert states(cache, doc) == ["x"]


def test_doc_cache_forgets_after_clear(nlp):
    cache = DocCache()
    doc = make_doc(nlp, ["a"])
    put(cache, doc, "x", 2)
    cache.clear()
    assert states(cache, doc) == [None]
    del doc
    assert cache.nbytes == 0


@pytest.mark.parametrize(
    "duplicate", (copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c)))
)
def test_doc_cache_copies_start_empty(nlp, duplicate):
    cache = DocCache(limit=9)
    doc = make_doc(nlp, ["a"])
    put(cache, doc, "x", 2)
    other = duplicate(cache)
    assert (len(other), other.nbytes, other.limit) == (0, 0, 9)
    assert states(cache, doc) == ["x"]


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
