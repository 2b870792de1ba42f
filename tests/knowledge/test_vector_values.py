"""Word vectors as real-valued features."""

import numpy as np
import pytest
import spacy
from builders.pipelines import QUICK_LEARNER, make_doc, make_examples, templates, train
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vectors import Vectors
from spacy.vocab import Vocab

from spacy_latperc.features.sources import Givens, Tokens
from spacy_latperc.features.values import ListedColumn, place_keys
from spacy_latperc.io import model_file
from spacy_latperc.knowledge.vector_values import vector_values

WORDS = [f"w{n}" for n in range(30)]
WIDTH = 6


def make_vocab(*, width=WIDTH, floret=False):
    vocab = Vocab()
    rng = np.random.default_rng(3)
    data = rng.normal(size=(len(WORDS) + 1, width)).astype(np.float32)
    data *= np.arange(1, width + 1)
    data[-1] = 0
    strings = vocab.strings
    if floret:
        settings = {"mode": "floret", "minn": 2, "maxn": 3, "hash_count": 2}
        vocab.vectors = Vectors(data=data, strings=strings, **settings)
    else:
        vocab.vectors = Vectors(data=data, keys=[*WORDS, "nothing"], strings=strings)
    return vocab


def fitted(vocab, **settings):
    source = vector_values(**{"size": 3, **settings})
    examples = make_examples(spacy.blank("en"))
    source.fit(Givens("v", vocab=vocab, examples=lambda: examples))
    return source


def read(source, vocab, *texts):
    docs = [Doc(vocab, words=text.split()) for text in texts]
    offsets = np.cumsum([0, *map(len, docs)])
    words = np.asarray([token.orth for doc in docs for token in doc], dtype=np.uint64)
    tokens = Tokens(docs, words, offsets, vocab.strings.__getitem__)
    return source.attribute("").of_docs(tokens)


def twin(vocab, size):
    """The first principal components of unit vectors, row by row."""
    data = vocab.vectors.data[:-1].astype(np.float64)
    units = np.array([row / np.sqrt((row**2).sum()) for row in data])
    mean = units.mean(axis=0)
    _, _, axes = np.linalg.svd(units - mean)
    rows = (units - mean) @ axes[:size].T
    return np.array([row / np.sqrt((row**2).sum()) for row in rows])


def test_vectors_are_projected_as_by_the_twin():
    vocab = make_vocab()
    column = read(fitted(vocab), vocab, " ".join(WORDS))
    assert isinstance(column, ListedColumn)
    expected = twin(vocab, 3)
    for number in range(len(WORDS)):
        items = column.items(number)
        assert list(items) == list(place_keys(3))
        found = np.array(list(items.values()))
        # The sign of a direction is free.
        np.testing.assert_allclose(np.abs(found), np.abs(expected[number]), atol=1e-3)
    vocab = make_vocab()
    items = read(fitted(vocab, length=0.25), vocab, "w3").items(0)
    assert np.linalg.norm(list(items.values())) == pytest.approx(0.25, abs=1e-3)


def test_vectors_of_one_word_are_one_list_and_no_vector_is_none():
    vocab = make_vocab()
    source = fitted(vocab)
    column = read(source, vocab, "w1 w2 w1", "", "w2 W1")
    first, second, same, again, _ = column.list_of.tolist()
    assert (first, second) == (same, again)
    assert column.items(4) == column.items(0)  # the lower-case form
    assert column.hashes[4] != column.hashes[0]
    assert read(source, vocab, "w2").items(0) == column.items(1)
    vocab = make_vocab()
    source = fitted(vocab)
    column = read(source, vocab, "unheard nothing w1")
    assert column.list_of.tolist() == [0, 0, 1]
    assert column.hashes[:2].tolist() == [0, 0]
    assert len(read(source, vocab, "")) == 0


def test_vectors_are_saved_as_directions_and_made_of_pieces():
    vocab = make_vocab()
    source = fitted(vocab)
    again = source.blank()
    again.from_bytes(source.to_bytes())
    assert again.to_bytes() == source.to_bytes() == fitted(vocab).to_bytes()
    assert again.nbytes == source.nbytes > 0
    assert read(again, vocab, "w5").items(0) == read(source, vocab, "w5").items(0)
    vocab = make_vocab(floret=True)
    column = read(fitted(vocab), vocab, "neverheard Neverheard")
    assert (column.list_of > 0).all()


def make_pipeline():
    nlp = spacy.blank("xx")
    nlp.vocab.vectors = make_vocab().vectors
    features = templates("bias", "vec.v[0]")
    features["sources"] = {"v": {"@misc": "spacy_latperc.VectorValues.v1", "size": 6}}
    model = {"features": features, "learner": QUICK_LEARNER}
    nlp.add_pipe("latperc_tagger", config={"model": model})
    return nlp


def test_vectors_are_learned_from_and_loaded(tmp_path):
    nlp = make_pipeline()
    words, tags = ["w1", "w2", "w3", "other"], list("ABCD")
    train(nlp, [Example(make_doc(nlp, words), make_doc(nlp, words, tags=tags))])
    assert [token.tag_ for token in nlp(make_doc(nlp, words))] == tags
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert [token.tag_ for token in again(make_doc(again, words))] == tags


# What is refused ----------------------------------------------------------------------


def test_vectors_that_are_not_there_or_not_fitted_are_refused():
    with pytest.raises(ValueError, match="LP711.*'v'"):
        fitted(Vocab())
    source = fitted(make_vocab())
    for vocab in (make_vocab(width=5), Vocab()):
        with pytest.raises(ValueError, match="LP756.*6 numbers"):
            read(source, vocab, "w1")
    with pytest.raises(ValueError, match="LP756"):
        read(vector_values(), make_vocab(), "w1")
    with pytest.raises(ValueError, match="LP709.*k256"):
        vector_values().attribute("k256")
    for settings in ({"size": 0}, {"length": 0.0}, {"length": np.inf}):
        with pytest.raises(ValueError):
            vector_values(**settings)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_vectors_must_be_finite(bad):
    vocab = make_vocab()
    source = fitted(vocab)
    vocab.vectors.data[4, 2] = bad
    with pytest.raises(ValueError, match="LP712.* 4 "):
        fitted(vocab)
    with pytest.raises(ValueError, match="LP712.* 4 "):
        read(source, vocab, "w4")


@pytest.mark.parametrize("change", ["kind", "short", "width", "nan"])
def test_vectors_damaged_files_are_refused(change):
    header, arrays = model_file.unpack(fitted(make_vocab()).to_bytes())
    arrays = dict(arrays)
    if change == "kind":
        header["kind"] = "other"
    elif change == "short":
        del arrays["mean"]
    elif change == "width":
        arrays["mean"] = arrays["mean"][:, :-1]
    else:
        arrays["directions"] = arrays["directions"] * np.float32(np.nan)
    with pytest.raises((ValueError, KeyError)):
        vector_values(3).from_bytes(model_file.pack(header, arrays))
