"""Features are extracted once, unless what they are made from changes."""

import copy
import gc
import pickle

import numpy as np
import pytest
import spacy
from builders import pipelines as small
from spacy.tokens import Doc
from spacy.training import Example

from spacy_latperc.learners.base import Batch
from spacy_latperc.pipeline.feature_cache import FeatureCache


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("xx")


class Block(str):
    """Stands for the features of a Doc."""

    nbytes = 4


class Asker:
    """Asks a cache for the features of Docs, each of which has one word."""

    def __init__(self, cache: FeatureCache):
        self.cache = cache
        self.generation = object()
        self.extracted = 0

    def __call__(self, docs: list[Doc]) -> list[str]:
        values = np.array([[doc[0].orth, 0] for doc in docs], dtype=np.uint64)
        batch = Batch(values, np.arange(len(docs) + 1), str)
        return self.cache.features(docs, batch, self.generation, self.extract)

    def extract(self, batch: Batch) -> list[Block]:
        self.extracted += len(batch.values)
        return [Block(row[0]) for row in batch.values]


def test_feature_cache_extracts_once(nlp):
    ask = Asker(FeatureCache())
    docs = [small.make_doc(nlp, [word]) for word in ("a", "b", "a")]
    first = ask(docs)
    assert ask(docs) == first == [str(doc[0].orth) for doc in docs]
    assert ask(docs[::-1]) == first[::-1]
    assert (ask.extracted, len(ask.cache), ask.cache.nbytes) == (3, 3, 12)


def test_feature_cache_notices_other_columns(nlp):
    ask = Asker(FeatureCache())
    doc = small.make_doc(nlp, ["a"])
    ask([doc])
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[:1], attrs={"ORTH": "b", "NORM": "b"})
    values = np.array([[7, 0]], dtype=np.uint64)
    batch = Batch(values, np.array([0, 1]), str)
    assert ask.cache.features([doc], batch, ask.generation, ask.extract) == ["7"]
    assert (len(ask.cache), ask.cache.nbytes) == (1, 4)


def test_feature_cache_ends_with_weights_and_docs_and_is_bounded_and_cleared(nlp):
    ask = Asker(FeatureCache())
    docs = [small.make_doc(nlp, ["a"]) for _ in range(10)]
    ask(docs)
    ask.generation = object()  # other weights are loaded
    ask(docs)
    assert ask.extracted == 20
    del docs[3:]
    gc.collect()
    assert (len(ask.cache), ask.cache.nbytes) == (3, 12)
    ask.cache.clear()
    assert (len(ask.cache), ask.cache.nbytes) == (0, 0)
    ask(docs)
    assert ask.extracted == 23
    ask.cache.clear()
    bounded = Asker(FeatureCache(limit=10))
    bounded(docs)
    assert (len(bounded.cache), bounded.cache.nbytes) == (2, 8)
    assert len(bounded(docs)) == 3
    assert bounded.extracted == 4
    del docs
    assert ask.cache.nbytes == 0


@pytest.mark.parametrize(
    "duplicate", (copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c)))
)
def test_feature_cache_copies_are_empty(nlp, duplicate):
    ask = Asker(FeatureCache(limit=9))
    docs = [small.make_doc(nlp, ["a"])]
    ask(docs)
    other = duplicate(ask.cache)
    assert (len(other), other.nbytes, other.limit) == (0, 0, 9)
    assert len(ask.cache) == 1


# In a component -----------------------------------------------------------------------


def test_feature_cache_features_are_computed_once():
    nlp = small.make_pipeline("latperc_tagger")
    component = nlp.get_pipe("latperc_tagger")
    examples = small.make_examples(nlp)
    nlp.initialize(lambda: examples)
    asked = []
    extract = component.learner.extract

    def counted(batch, **kwargs):
        asked.append(len(batch.values))
        return extract(batch, **kwargs)

    component.learner.extract = counted
    for _ in range(3):
        nlp.update(examples)
    assert asked == [sum(len(sentence.words) for sentence in small.SENTENCES)]


def inputs_of_passes(nlp, kind: str) -> list[Doc]:
    """The same text with other tags, other sentence starts or other tokens."""
    words = small.SENTENCES[1].words
    n = len(words)
    if kind == "tags":  # a tagger before us changes them from pass to pass
        return [small.make_doc(nlp, words, tags=[tag] * n) for tag in "ABAC"]
    if kind == "starts":
        every = ([True] * n, [True] + [False] * (n - 1), None)
        return [small.make_doc(nlp, words, sent_starts=starts) for starts in every]
    other = ["Yesterday", "Acme Corp", *words[3:]]
    return [Doc(nlp.vocab, words=found) for found in (words, other)]


@pytest.mark.parametrize(
    ("kind", "factory"),
    [
        ("tags", "latperc_chunker"),
        ("starts", "latperc_tagger"),
        ("tokens", "latperc_ner"),
    ],
)
def test_feature_cache_notices_other_inputs(kind, factory):
    def train(*, forget: bool) -> bytes:
        features = small.templates("t[0]", "w[0]") if kind == "tags" else None
        settings = {"features": features} if features else {}
        nlp = small.make_pipeline(factory, **settings)
        component = nlp.get_pipe(factory)
        gold = small.make_examples(nlp)[1].reference
        nlp.initialize(lambda: small.make_examples(nlp))
        for predicted in inputs_of_passes(nlp, kind):
            component.update([Example(predicted, gold)])
            if forget:
                gold = small.make_examples(nlp)[1].reference
        return component.model.to_bytes()

    assert train(forget=False) == train(forget=True)
