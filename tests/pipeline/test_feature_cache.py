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


def test_feature_cache_is_emptied_when_weights_are_loaded(nlp):
    ask = Asker(FeatureCache())
    docs = [small.make_doc(nlp, ["a"])]
    ask(docs)
    ask.generation = object()
    ask(docs)
    assert ask.extracted == 2


def test_feature_cache_entries_end_with_their_docs(nlp):
    ask = Asker(FeatureCache())
    docs = [small.make_doc(nlp, ["a"]) for _ in range(10)]
    ask(docs)
    del docs[3:]
    gc.collect()
    assert (len(ask.cache), ask.cache.nbytes) == (3, 12)


def test_feature_cache_is_bounded(nlp):
    ask = Asker(FeatureCache(limit=10))
    docs = [small.make_doc(nlp, ["a"]) for _ in range(3)]
    ask(docs)
    assert (len(ask.cache), ask.cache.nbytes) == (2, 8)
    assert len(ask(docs)) == 3
    assert ask.extracted == 4


def test_feature_cache_can_be_cleared(nlp):
    ask = Asker(FeatureCache())
    docs = [small.make_doc(nlp, ["a"])]
    ask(docs)
    ask.cache.clear()
    assert (len(ask.cache), ask.cache.nbytes) == (0, 0)
    ask(docs)
    assert ask.extracted == 2
    ask.cache.clear()
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


def test_feature_cache_notices_other_tags():
    """A tagger before us changes the input from pass to pass."""

    def train(*, forget: bool) -> bytes:
        nlp = small.make_pipeline(
            "latperc_chunker", features=small.templates("t[0]", "w[0]")
        )
        component = nlp.get_pipe("latperc_chunker")
        golds = [example.reference for example in small.make_examples(nlp)]
        nlp.initialize(lambda: small.make_examples(nlp))
        for tag in ("A", "B", "A", "C"):
            predicted = [
                Doc(nlp.vocab, words=s.words, tags=[tag] * len(s.words))
                for s in small.SENTENCES
            ]
            component.update(
                [Example(x, y) for x, y in zip(predicted, golds, strict=True)]
            )
            if forget:
                golds = [example.reference for example in small.make_examples(nlp)]
        return component.model.to_bytes()

    assert train(forget=False) == train(forget=True)


def test_feature_cache_notices_other_sentence_starts():
    def train(*, forget: bool) -> bytes:
        nlp = small.make_pipeline("latperc_tagger")
        component = nlp.get_pipe("latperc_tagger")
        gold = small.make_examples(nlp)[0].reference
        nlp.initialize(lambda: small.make_examples(nlp))
        n = len(gold)
        for starts in ([True] * n, [True] + [False] * (n - 1), None):
            words = [token.text for token in gold]
            predicted = small.make_doc(nlp, words, sent_starts=starts)
            component.update([Example(predicted, gold)])
            if forget:
                gold = small.make_examples(nlp)[0].reference
        return component.model.to_bytes()

    assert train(forget=False) == train(forget=True)


def test_feature_cache_notices_other_tokens():
    def train(*, forget: bool) -> bytes:
        nlp = small.make_pipeline("latperc_ner")
        component = nlp.get_pipe("latperc_ner")
        gold = small.make_examples(nlp)[1].reference
        nlp.initialize(lambda: small.make_examples(nlp))
        text = gold.text
        for words in (text.split(), ["Yesterday", "Acme Corp", *text.split()[3:]]):
            predicted = Doc(nlp.vocab, words=words)
            component.update([Example(predicted, gold)])
            if forget:
                gold = small.make_examples(nlp)[1].reference
        return component.model.to_bytes()

    assert train(forget=False) == train(forget=True)
