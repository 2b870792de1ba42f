"""To and from .spacy files; no half file under a final name."""

import errno
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import spacy
from builders.text import lines, read_lines, text
from spacy.tokens import DocBin

from spacy_latperc.grammaticality.negatives.constructions import find_construction
from spacy_latperc.grammaticality.negatives.docs import (
    add_tags,
    write_negatives,
)
from spacy_latperc.grammaticality.negatives.make import Settings, make_negatives
from spacy_latperc.io import docbin
from spacy_latperc.io.atomic import whole_file


@pytest.fixture(scope="module")
def negatives():
    return make_negatives(text(), Settings(find_construction("kn_m"), n=100))


def docs_of(path):
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    vocab = spacy.blank("en").vocab
    return [d for file in files for d in DocBin().from_disk(file).get_docs(vocab)]


def test_docs_written_have_both_categories(negatives, tmp_path):
    paths = write_negatives(negatives, tmp_path / "out.spacy")
    assert [p.name for p in paths] == [
        f"out-{x}.spacy" for x in ("train", "dev", "test")
    ]
    real = set(lines())
    for path, part in zip(paths, range(3), strict=True):
        docs = docs_of(path)
        assert len(docs) == 2 * (negatives.part == part).sum()
        for doc in docs:
            assert doc.cats["GRAMMATICAL"] == 1 - doc.cats["UNGRAMMATICAL"]
            written = " ".join(token.text for token in doc)
            assert (written in real) == doc.cats["GRAMMATICAL"]
            assert len(list(doc.sents)) == 1


def test_docs_written_are_mixed(negatives, tmp_path):
    docs = docs_of(write_negatives(negatives, tmp_path / "out.spacy")[0])
    first = [doc.cats["GRAMMATICAL"] for doc in docs[: len(docs) // 2]]
    assert 0.3 < np.mean(first) < 0.7


def test_docs_same_seed_same_bytes(negatives, tmp_path):
    first = write_negatives(negatives, tmp_path / "a.spacy", seed=4)
    second = write_negatives(negatives, tmp_path / "b.spacy", seed=4)
    other = write_negatives(negatives, tmp_path / "c.spacy", seed=5)
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]
    assert first[0].read_bytes() != other[0].read_bytes()


def test_docs_many_become_a_folder(negatives, tmp_path):
    path = write_negatives(negatives, tmp_path / "out.spacy", docs_per_file=50)[0]
    assert path.name == "out-train"
    assert [file.name for file in sorted(path.iterdir())][:2] == [
        "0001.spacy",
        "0002.spacy",
    ]
    assert len(docs_of(path)) == 2 * (negatives.part == 0).sum()
    # Again in its place: nothing of the old one stays.
    write_negatives(negatives, tmp_path / "out.spacy", docs_per_file=100)
    assert len(docs_of(path)) == 2 * (negatives.part == 0).sum()


def test_docs_of_one_part_go_to_the_file_itself(tmp_path):
    settings = Settings(find_construction("kn_m"), n=50, shares=(1,))
    found = make_negatives(text(), settings)
    (path,) = write_negatives(found, tmp_path / "out.spacy", labels=("GOOD", "BAD"))
    assert path == tmp_path / "out.spacy"
    assert set(docs_of(path)[0].cats) == {"GOOD", "BAD"}


@pytest.mark.parametrize("labels", [("A", "A"), ("A", "")])
def test_docs_labels_must_differ(negatives, tmp_path, labels):
    with pytest.raises(ValueError, match="LP421"):
        write_negatives(negatives, tmp_path / "out.spacy", labels=labels)


def test_docs_name_must_be_that_of_a_spacy_file(negatives, tmp_path):
    with pytest.raises(ValueError, match="LP422"):
        write_negatives(negatives, tmp_path / "out.txt")


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


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
def test_docs_no_half_file_under_the_final_name_when_killed(tmp_path):
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from spacy_latperc.io.atomic import whole_file\n"
        "with whole_file(Path(sys.argv[1])) as fresh:\n"
        "    fresh.write_bytes(b'half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    target = tmp_path / "out.spacy"
    target.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", code, str(target)])
    assert done.returncode == -signal.SIGKILL
    assert target.read_bytes() == b"old"


def test_docs_old_file_stays_when_writing_fails(tmp_path):
    target = tmp_path / "x"
    target.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), whole_file(target) as fresh:
        fresh.write_bytes(b"half")
        raise KeyboardInterrupt
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_docs_tags_come_from_a_pipeline():
    nlp = spacy.blank("en")
    patterns = [{"patterns": [[{"ORTH": "a"}]], "attrs": {"TAG": "X"}}]
    nlp.add_pipe("attribute_ruler").add_patterns(patterns)
    tags = add_tags(read_lines("a b", "b a"), nlp).tags
    assert (tags == tags[0]).tolist() == [True, False, False, True]
