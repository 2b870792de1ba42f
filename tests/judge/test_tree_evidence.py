"""Trees over what counts of n-grams say, as a source of attributes."""

import tracemalloc

import numpy as np
import pytest
import spacy
from builders.text import text
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_latperc.features.sources import Givens, Tokens
from spacy_latperc.judge.evidence.context_evidence import context_evidence
from spacy_latperc.judge.evidence.context_model import ContextModel, ContextSettings
from spacy_latperc.judge.evidence.lexicon import Lexicon
from spacy_latperc.judge.evidence.ngram_counts import CountSettings, NgramCounts
from spacy_latperc.judge.evidence.ngram_evidence import ngram_evidence
from spacy_latperc.judge.evidence.tree_evidence import (
    REACH,
    read_trees,
    tree_evidence,
    trees_from_bytes,
    trees_to_bytes,
    write_trees,
    wrong_tokens,
)

VOCAB = spacy.blank("en").vocab


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    path = tmp_path_factory.mktemp("trees") / "words.ngrams"
    NgramCounts.count(text(), CountSettings(order=3)).to_disk(path)
    source = ngram_evidence(path, leave_out=False)
    source.fit(Givens("words"))
    return source


def examples(n=60):
    """Of each sentence the second and the third word have changed places."""
    found = []
    for number, words in enumerate(text().slice(0, n)):
        words = list(words)
        wrong = number % 2 and len(words) > 4
        if wrong:
            words[1], words[2] = words[2], words[1]
        docs = [Doc(VOCAB, words=words) for _ in range(2)]
        spans = [Span(docs[1], 1, 3, label="order")] if wrong else []
        docs[1].spans["errors"] = spans
        found.append(Example(*docs))
    return found


@pytest.fixture(scope="module")
def source(words):
    made = tree_evidence(trees=30, depth=3, tokens=1.0, questions=1.0, rate=0.3)
    made.fit(Givens("trees", examples=examples, sources={"words": words}))
    return made


def margins(source, words, docs):
    numbers, place = source.numbers(Tokens.of(docs, {"words": words}))
    return source.trees.margins(numbers)[place]


def test_trees_learn_which_words_are_wrong(source, words):
    some = examples()
    said = margins(source, words, [x.predicted for x in some])
    real = np.concatenate([wrong_tokens(x.reference, "errors") for x in some]) == 1
    assert said[real].mean() > said[~real].mean() + 1


def test_trees_say_the_same_of_a_sentence_wherever_it_stands(source, words):
    docs = [x.predicted for x in examples(20)]
    together = margins(source, words, docs)
    alone = [margins(source, words, [doc]) for doc in docs]
    assert (together == np.concatenate(alone)).all()


def test_trees_learn_from_models_of_contexts(tmp_path):
    known = text()
    settings = ContextSettings(size=16, passes=4)
    ContextModel.learn(known, Lexicon(known), settings, 0).to_disk(tmp_path / "m")
    places = context_evidence(tmp_path / "m")
    places.fit(Givens("places"))
    sources = {"places": places}
    made = tree_evidence(trees=30, depth=3, tokens=1.0, questions=1.0, rate=0.3)
    made.fit(Givens("trees", examples=examples, sources=sources))
    some = examples()
    numbers, place = made.numbers(Tokens.of([x.predicted for x in some], sources))
    assert numbers.max() < 64
    said = made.trees.margins(numbers)[place]
    real = np.concatenate([wrong_tokens(x.reference, "errors") for x in some]) == 1
    assert said[real].mean() > said[~real].mean() + 1


def test_empty_places_lie_between_sentences(source, words):
    docs = [x.predicted for x in examples(3)]
    numbers, place = source.numbers(Tokens.of(docs, {"words": words}))
    empty = np.ones(numbers.shape[1], bool)
    empty[place] = False
    assert not numbers[:, empty].any() and numbers[:, place].all()
    assert empty.sum() == REACH * (len(docs) + 1)


def test_tree_attributes_are_steps_of_the_margin(source, words):
    docs = [x.predicted for x in examples(20)]
    tokens = Tokens.of(docs, {"words": words})
    steps = source.attribute("").of_docs(tokens).astype(float)
    said = margins(source, words, docs)
    order = np.argsort(said)
    assert (np.diff(steps[order]) >= 0).all() and len(set(steps)) >= 4
    with pytest.raises(ValueError, match="LP709"):
        source.attribute("left")


def test_trees_come_back_from_bytes_and_files(source, words, tmp_path):
    docs = [x.predicted for x in examples(9)]
    other = source.blank()
    other.from_bytes(source.to_bytes())
    assert other.to_bytes() == source.to_bytes()
    assert (margins(other, words, docs) == margins(source, words, docs)).all()
    write_trees(source.trees, tmp_path / "trees")
    named = tree_evidence(tmp_path / "trees")
    named.fit(Givens("trees"))
    assert named.to_bytes() == source.to_bytes()
    assert read_trees(tmp_path / "trees").depth == 3


def test_trees_without_counts_or_examples_say_what_to_do(source, words):
    docs = [x.predicted for x in examples(2)]
    with pytest.raises(ValueError, match="LP792"):
        source.numbers(Tokens.of(docs, {}))
    fresh = tree_evidence()
    with pytest.raises(ValueError, match="LP793"):
        fresh.fit(Givens("trees", examples=list, sources={"words": words}))
    with pytest.raises(FileNotFoundError, match="LP101"):
        read_trees("nowhere")


@pytest.mark.parametrize("at", [40, 200, -9])
def test_damaged_trees_are_refused(source, at):
    data = bytearray(source.to_bytes())
    data[at] ^= 255
    with pytest.raises(ValueError):
        source.blank().from_bytes(bytes(data))


def test_trees_that_ask_for_columns_that_are_not_there_are_refused(source):
    trees = source.trees
    broken = type(trees)(
        trees.columns, trees.offsets * 9 + 7, trees.least, trees.values, trees.depth
    )
    other = source.blank()
    other.trees = broken
    with pytest.raises(ValueError, match="LP023"):
        source.blank().from_bytes(other.to_bytes())


@pytest.mark.parametrize("column", [2**31 - 2, 2**31 - 1, 1 << 20, -1])
def test_trees_that_ask_for_a_far_column_take_no_memory(source, column):
    """A column of 2**31 - 2 asked for ten gigabytes."""
    trees = source.trees
    columns = np.full_like(trees.columns, column)
    broken = type(trees)(
        columns, trees.offsets, trees.least, trees.values, trees.depth, trees.base
    )
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="LP023"):
            trees_from_bytes(trees_to_bytes(broken))
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()
