"""Reading .spacy files as sentences."""

import pytest
import spacy
from spacy.tokens import Doc, DocBin

from spacy_latperc.text.sentence_files import docbin_sentences


@pytest.fixture
def bin_of(tmp_path):
    def write(*docs):
        path = tmp_path / "in.spacy"
        DocBin(docs=docs, attrs=["ORTH", "TAG", "SENT_START"]).to_disk(path)
        return path

    return write


def make_doc(words, **layers):
    return Doc(spacy.blank("en").vocab, words=words.split("|"), **layers)


def test_docs_read_sentence_by_sentence_with_their_tags(bin_of):
    doc = make_doc(
        "A|b|.|C| |d e", sent_starts=[True, False, False, True, False, False]
    )
    found = docbin_sentences(bin_of(doc))
    assert list(found) == [["A", "b", "."], ["C", "de"]]
    with pytest.raises(ValueError, match="LP324"):
        docbin_sentences(bin_of(make_doc(" | ")))
