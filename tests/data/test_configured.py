"""Corpora of a config, and other files read in the same way."""

import pytest
import spacy
from thinc.api import Config

from spacy_latperc.data.configured import configured_examples, corpus_block
from spacy_latperc.data.conversion import convert

CONTENT = """\
Ann NNP B-NP
sees VBZ B-VP

She PRP B-NP
sleeps VBZ B-VP

Bye UH O
"""
COLUMNS = "spacy_latperc.ColumnCorpus.v1"
DOCBIN = "spacy_latperc.DocBinCorpus.v1"


def config(**changes):
    dev = {
        "@readers": COLUMNS,
        "path": "dev.txt",
        "columns": ["word", "tag", "chunk"],
        "inputs": ["tag", "chunk"],
        "chunk_key": "np",
        "part": "rest",
        "limit": 1,
    }
    return Config({"corpora": {"dev": {**dev, **changes}, "test": {"@readers": "x"}}})


@pytest.mark.parametrize(
    ("message", "dev", "what"),
    [
        ("LP320.*corpora.tset.*corpora.dev, corpora.t", None, "corpora.tset"),
        ("LP321.*test.txt.*mine.Reader.v1", "mine.Reader.v1", "test.txt"),
        ("LP322.*test.txt", DOCBIN, "test.txt"),
    ],
)
def test_configured_refuses(message, dev, what):
    block = {"@readers": dev} | ({"path": "dev.spacy"} if dev == DOCBIN else {})
    given = Config({"corpora": {"dev": block}}) if dev else config()
    with pytest.raises(ValueError, match=message):
        corpus_block(given, what)


def test_configured_corpus_is_that_of_training_or_the_one_that_is_named():
    assert corpus_block(config()) == config()["corpora"]["dev"]
    assert corpus_block(config(), "corpora.test") == {"@readers": "x"}
    other = config()
    other["training"] = {"dev_corpus": "corpora.test"}
    assert corpus_block(other) == {"@readers": "x"}


def test_configured_path_is_read_like_the_development_corpus_but_whole():
    block = corpus_block(config(), "test.txt")
    assert block["path"] == "test.txt"
    assert block["columns"] == ["word", "tag", "chunk"]
    assert not {"part", "limit"} & set(block)
    assert block["chunk_key"] == "np"
    inputs = ["tag", "spans:np"]
    block = corpus_block(config(), "test.spacy")
    assert block == {"@readers": DOCBIN, "path": "test.spacy", "inputs": inputs}


@pytest.mark.parametrize("suffix", [".txt", ".spacy", None])
def test_configured_examples_have_their_inputs(tmp_path, suffix):
    """All of a path, and a part of what the config names."""
    text = tmp_path / "dev.txt"
    text.write_text(CONTENT)
    nlp = spacy.blank("en")
    nlp.config["corpora"] = config(path=str(text))["corpora"]
    path = str(text.with_suffix(suffix)) if suffix else None
    if suffix == ".spacy":
        convert(text, path, columns=["word", "tag", "chunk"], chunk_key="np")
    examples = [eg.predicted for eg in configured_examples(nlp, path)]
    found = [(doc[0].text, doc[0].tag_, len(doc.spans["np"])) for doc in examples]
    whole = [("Ann", "NNP", 2), ("She", "PRP", 2), ("Bye", "UH", 0)]
    assert found == (whole if suffix else whole[:1])
