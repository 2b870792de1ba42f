"""The corpora of the bench."""

import gzip

import pytest
import spacy

from benchmarks import corpora
from benchmarks.corpora import find_corpora, read_sentences
from benchmarks.tasks.docs import read_docs


@pytest.fixture
def nowhere(monkeypatch):
    monkeypatch.setattr(corpora, "data_folder", lambda: None)


def test_bench_corpora_without_a_data_folder_are_the_sample(nowhere):
    found = find_corpora("auto")
    assert found.chunks.name == "bundled sample"
    assert found.entities == found.chunks
    with pytest.raises(ValueError, match="CoNLL-2000 is not here.*LATPERC_DATA"):
        find_corpora("conll2000")
    with pytest.raises(ValueError, match="Unknown data.*conll2000, sample"):
        find_corpora("conll2003")


def test_bench_corpora_prefer_conll2000(data):
    found = find_corpora("auto")
    assert found.chunks.name == "CoNLL-2000"
    assert found.entities is not None


def test_bench_corpora_are_the_same_for_both_sides_cut_or_packed(tmp_path):
    corpus = find_corpora("sample").chunks
    docs = read_docs(spacy.blank("en"), corpus, inputs=["tag"])
    ours = [([t.text for t in doc], [t.tag_ for t in doc]) for doc in docs]
    assert ours == [(words, tags) for words, tags, _ in read_sentences(corpus.test)]
    assert len(read_sentences(corpus.train, limit=7)) == 7
    file = tmp_path / "x.gz"
    file.write_bytes(gzip.compress(b"A DT B-NP\ndog NN I-NP\n\nbarks VBZ B-VP\n"))
    assert read_sentences(str(file)) == [
        (["A", "dog"], ["DT", "NN"], ["B-NP", "I-NP"]),
        (["barks"], ["VBZ"], ["B-VP"]),
    ]
