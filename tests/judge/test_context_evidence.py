"""A model of what fits into the places of sentences, as a source of attributes."""

import numpy as np
import pytest
import spacy
from builders.text import read_lines, text
from spacy.tokens import Doc

from spacy_latperc.features.sources import Givens, Tokens
from spacy_latperc.judge.evidence import context_model
from spacy_latperc.judge.evidence.context_evidence import (
    ContextEvidence,
    context_evidence,
)
from spacy_latperc.judge.evidence.context_model import (
    UNKNOWN,
    ContextModel,
    spellings,
)
from spacy_latperc.judge.evidence.lexicon import Lexicon

VOCAB = spacy.blank("en").vocab


def learned(passes=6, seed=1):
    known = text()
    return ContextModel.learn(known, Lexicon(known), passes=passes, seed=seed)


@pytest.fixture(scope="module")
def model():
    return learned()


@pytest.fixture(scope="module")
def source(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("contexts") / "words.contexts"
    model.to_disk(path)
    source = context_evidence(path)
    source.fit(Givens("places"))
    return source


def said(model, *sentences):
    rows = [sentence.split() for sentence in sentences]
    keys = [model.key(word) for row in rows for word in row]
    bounds = np.cumsum([0, *map(len, rows)])
    return model.look_up(np.array(keys, dtype=np.uint64), bounds)


def test_words_fit_where_they_are_usual(model):
    good = said(model, "The dog sees the cat .")["fit"]
    bad = said(model, "The dog the sees cat .")["fit"]
    assert good.sum() > bad.sum() + 2


def test_missing_and_needless_words_are_found(model):
    found = said(model, "The dog sees cat", "The dog sees the the cat .")
    missing, fewer = found["missing"], found["fewer"]
    assert missing[:3].max() < missing[3] > missing[9] + 1
    assert fewer[4:].argmax() in (3, 4) and fewer[4:].max() > fewer[:4].max()


def test_rare_words_and_capitals_at_the_beginning(model, monkeypatch):
    known = model.symbol("the")
    first = model.first_symbol("The")
    assert known != UNKNOWN and first in (known, model.symbol("The"))
    assert model.first_symbol("Dog") == model.symbol("dog")
    assert model.symbol("Dog") != model.symbol("dog")
    assert model.symbol("zyx") == UNKNOWN
    for word, keys in {
        "walked": ["\0a ked", "\0a ed", "\0a"],
        "Un-Known": ["\0Aa- own", "\0Aa- wn", "\0Aa-"],
        "1,000": ["\x009"],
        "B2B": ["\x009a"],
        "--": ["\0."],
    }.items():
        assert list(spellings(word)) == keys
    monkeypatch.setattr(context_model, "_WORDS", 1)
    few = learned(passes=1)
    assert few.symbol("dog") == UNKNOWN
    assert len(few.keys) < 8


def test_models_come_back_from_bytes_and_files(source, model, tmp_path):
    assert learned().to_bytes() == model.to_bytes()
    other = source.blank()
    other.from_bytes(source.to_bytes())
    assert other.to_bytes() == source.to_bytes() == model.to_bytes()
    assert source.nbytes == model.nbytes
    with pytest.raises(FileNotFoundError, match="LP101"):
        ContextModel.from_disk(tmp_path / "nowhere")


def test_sources_read_docs_as_models_read_sentences(source, model):
    rows = [["The", "dog", "sees", "the", "cat", "."], [], ["dog", "the"]]
    docs = [Doc(VOCAB, words=words) for words in rows]
    tokens = Tokens.of(docs, {"places": source})
    found = source.found(tokens)
    wanted = said(model, *(" ".join(words) for words in rows if words))
    for name in ContextEvidence.buckets:
        assert (found.values[name] == wanted[name]).all()
        values = source.attribute(name).of_docs(tokens)
        assert values.dtype == np.uint64 and len(values) == 8
    with pytest.raises(ValueError, match="LP713"):
        source.attribute("left")


def test_sources_without_a_model_say_what_to_do():
    fresh = context_evidence("")
    with pytest.raises(ValueError, match="LP767"):
        fresh.fit(Givens("places"))
    tokens = Tokens.of([Doc(VOCAB, words=["a"])], {"places": fresh})
    with pytest.raises(ValueError, match="LP766"):
        fresh.found(tokens)


def test_models_of_a_sentence_without_small_words_say_something():
    known = read_lines("A B .", "A C .")
    model = ContextModel.learn(known, Lexicon(known))
    assert np.isfinite(said(model, "A B .")["fit"]).all()
