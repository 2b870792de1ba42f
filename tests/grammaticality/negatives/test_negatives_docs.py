"""To and from .spacy files; no half file under a final name."""

import errno

import numpy as np
import pytest
import spacy
from builders.text import lines, text
from spacy.tokens import DocBin

from spacy_latperc.grammaticality.negatives.docs import write_negatives
from spacy_latperc.grammaticality.negatives.make import (
    Settings,
    find_construction,
    make_negatives,
)
from spacy_latperc.io import docbin


@pytest.fixture(scope="module")
def negatives():
    return make_negatives(text(), Settings(find_construction("kn_m"), n=100))


def docs_of(path):
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    vocab = spacy.blank("en").vocab
    return [d for file in files for d in DocBin().from_disk(file).get_docs(vocab)]


def test_docs_written_have_both_categories(negatives, tmp_path):
    paths = write_negatives(negatives, tmp_path / "out.spacy")
    assert [p.stem for p in paths] == [f"out-{x}" for x in ("train", "dev", "test")]
    real = set(lines())
    for path, part in zip(paths, range(3), strict=True):
        docs = docs_of(path)
        assert len(docs) == 2 * (negatives.part == part).sum()
        for doc in docs:
            assert doc.cats["GRAMMATICAL"] == 1 - doc.cats["UNGRAMMATICAL"]
            written = " ".join(token.text for token in doc)
            assert (written in real) == doc.cats["GRAMMATICAL"]
            assert len(list(doc.sents)) == 1
    docs = docs_of(paths[0])
    first = [doc.cats["GRAMMATICAL"] for doc in docs[: len(docs) // 2]]
    assert 0.3 < np.mean(first) < 0.7
    again = write_negatives(negatives, tmp_path / "b.spacy")
    other = write_negatives(negatives, tmp_path / "c.spacy", seed=5)
    assert [p.read_bytes() for p in paths] == [p.read_bytes() for p in again]
    assert paths[0].read_bytes() != other[0].read_bytes()


def test_docs_of_one_part_go_to_the_file_itself(tmp_path):
    settings = Settings(find_construction("kn_m"), n=50, shares=(1,))
    found = make_negatives(text(), settings)
    (path,) = write_negatives(found, tmp_path / "out.spacy")
    assert path == tmp_path / "out.spacy"
    assert set(docs_of(path)[0].cats) == {"GRAMMATICAL", "UNGRAMMATICAL"}


def test_docs_nothing_is_left_when_the_disk_is_full(negatives, tmp_path, monkeypatch):
    written = []
    plain = docbin.write_whole

    def write(path, content):
        if written:
            path.write_bytes(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(path)
        plain(path, content)

    monkeypatch.setattr(docbin, "write_whole", write)
    with pytest.raises(OSError, match="LP560.*No space left"):
        write_negatives(negatives, tmp_path / "out.spacy")
    assert not list(tmp_path.iterdir())
