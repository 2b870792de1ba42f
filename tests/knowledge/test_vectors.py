"""Vectors of the vocabulary as attributes, plain and floret."""

import numpy as np
import pytest
import spacy
from builders.pipelines import SENTENCES, make_examples
from spacy.vectors import Vectors
from spacy.vocab import Vocab

from spacy_latperc.features.sources import Givens
from spacy_latperc.io import model_file
from spacy_latperc.knowledge.vectors import vectors

WORDS = sorted({word for sentence in SENTENCES for word in sentence.words})
KINDS = ("default", "floret")


def vocab_with_vectors(kind="default", seed=0):
    """Words that begin with a capital lie together, and so do the others."""
    vocab = Vocab()
    rng = np.random.default_rng(seed)
    if kind == "floret":
        table = rng.normal(size=(200, 6)).astype(np.float32)
        vocab.vectors = Vectors(
            mode="floret",
            data=table,
            strings=vocab.strings,
            minn=2,
            maxn=3,
            hash_count=2,
        )
        return vocab
    data = rng.normal(size=(len(WORDS) + 1, 6)).astype(np.float32) * 0.1
    data[-1] = 0  # one word whose vector says nothing
    data[:-1, 0] += [5 if word[0].isupper() else -5 for word in WORDS]
    vocab.vectors = Vectors(data=data, keys=[*WORDS, "nothing"], strings=vocab.strings)
    return vocab


def fitted(kind="default", seed=0, **changes):
    source = vectors(**{"sizes": [2, 4], "signs": 3, **changes})
    vocab = vocab_with_vectors(kind)
    examples = make_examples(spacy.blank("en"))
    source.fit(Givens("words", vocab=vocab, examples=lambda: examples, seed=seed))
    return source


def value(source, word, argument):
    return source.attribute(argument).of_form(word)


def test_words_alike_are_in_one_bucket():
    source = fitted()
    capitals = {value(source, word, "k2") for word in WORDS if word[0].isupper()}
    others = {value(source, word, "k2") for word in WORDS if not word[0].isupper()}
    assert len(capitals) == len(others) == 1
    assert capitals != others
    assert {value(source, word, "sign1") for word in WORDS} == {"0", "1"}
    assert value(source, "unheard", "k2") == value(source, "nothing", "k4") == ""
    assert value(source, "unheard", "sign") == ""
    assert value(source, "LOWER", "k2") == ""


def test_lower_case_is_a_fallback():
    assert value(fitted(), "WALK", "k4") == value(fitted(), "walk", "k4") != ""
    assert value(fitted(lower=False), "WALK", "k4") == ""


def test_pieces_have_a_bucket_for_every_word():
    source = fitted("floret")
    for word in ("unheard", "London", "x"):
        assert value(source, word, "k4") in "0123"
        assert len(value(source, word, "sign")) == 3
    assert value(source, "", "k4") in ("", *"0123")
    assert len({value(source, word, "k4") for word in WORDS}) > 1


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_bring_everything_back(kind):
    source = fitted(kind)
    twin = source.blank()
    twin.from_bytes(source.to_bytes())
    assert twin.to_bytes() == source.to_bytes()
    for word in [*WORDS, "unheard", "Walks"]:
        for argument in ("k2", "k4", "sign", "sign2"):
            assert value(twin, word, argument) == value(source, word, argument)
    assert twin.nbytes == source.nbytes > 0


@pytest.mark.parametrize("kind", KINDS)
def test_same_seed_same_bytes(kind):
    assert fitted(kind, seed=1).to_bytes() == fitted(kind, seed=1).to_bytes()


@pytest.mark.parametrize(
    "change",
    [
        {"floret": {}},
        {"floret": {"minn": "2"}},
        {"floret": {"minn": 2, "maxn": 10**9}},
        {"pieces": np.zeros((2, 2), dtype=np.float32)},
        {"pieces": np.full((2, 6), 0x7C00, dtype=np.uint16)},
        {"centres4": np.zeros((4, 5), dtype=np.float32)},
        {"centres4": np.zeros((9, 6), dtype=np.float32)},
        {"directions": np.full((3, 6), np.nan, dtype=np.float32)},
    ],
    ids=str,
)
def test_damaged_pieces_are_refused(change):
    source = fitted("floret")
    header, arrays = model_file.unpack(source.to_bytes())
    header = {**header, **{k: v for k, v in change.items() if k == "floret"}}
    arrays = {**arrays, **{k: v for k, v in change.items() if k != "floret"}}
    with pytest.raises(model_file.DAMAGED):
        source.blank().from_bytes(model_file.pack(header, arrays))


def test_missing_vectors_are_an_error_that_says_how_to_get_them():
    for vocab in (None, Vocab()):
        with pytest.raises(ValueError, match=r"LP711.*words.*init vectors"):
            vectors().fit(Givens("words", vocab=vocab))


@pytest.mark.parametrize("bad", [np.nan, -np.inf])
def test_numbers_that_are_not_finite_are_refused(bad):
    vocab = vocab_with_vectors()
    vocab.vectors.data[3, 1] = bad
    with pytest.raises(ValueError, match=r"LP712.*Row 3 "):
        vectors().fit(Givens("words", vocab=vocab))


@pytest.mark.parametrize("argument", ["", "k3", "sign4", "sign0", "k", "signs", "2"])
def test_unknown_arguments_are_refused(argument):
    with pytest.raises(ValueError, match=r"LP713.*k2, k4, sign"):
        vectors(sizes=[2, 4], signs=3).attribute(argument)


@pytest.mark.parametrize(
    "setting", [{"sizes": 64}, {"sizes": [1]}, {"signs": 33}, {"words": 0}]
)
def test_bad_settings_are_refused(setting):
    with pytest.raises(ValueError, match="LP590|LP086"):
        vectors(**setting)


@pytest.mark.parametrize("kind", KINDS)
def test_component_needs_the_vectors_no_more(kind, tmp_path):
    nlp = spacy.blank("en")
    source = {"@misc": "spacy_latperc.Vectors.v1", "sizes": [4], "signs": 2}
    features = {
        "@misc": "spacy_latperc.Templates.v1",
        "templates": ["vec.k4[0]", "vec.words:sign2[-1]"],
        "sources": {"words": source},
    }
    pipe = nlp.add_pipe("latperc_ner", config={"model": {"features": features}})
    nlp.vocab.vectors = vocab_with_vectors(kind).vectors
    nlp.initialize(lambda: make_examples(nlp))
    templates = [str(template) for template in pipe.learner.features.templates]
    assert templates == ["vec.words:k4[0]", "vec.words:sign2[-1]"]
    known = pipe.learner.features.sources["words"]
    nlp.vocab.reset_vectors()
    nlp.to_disk(tmp_path / "model")
    loaded = spacy.load(tmp_path / "model").get_pipe("latperc_ner").learner
    assert len(loaded.features.sources["words"].to_bytes()) == len(known.to_bytes())
    for word in WORDS:
        again = value(loaded.features.sources["words"], word, "k4")
        assert again == value(known, word, "k4")
