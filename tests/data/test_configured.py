"""Corpora of a config, and other files read in the same way."""

import pytest
import spacy
from thinc.api import Config

from spacy_latperc.data.configured import configured_examples, corpus_block
from spacy_latperc.data.convert import convert

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
        "part": "held_out",
        "every": 2,
        "limit": 7,
    }
    return Config({"corpora": {"dev": {**dev, **changes}, "test": {"@readers": "x"}}})


def test_configured_development_corpus_by_default():
    assert corpus_block(config()) == config()["corpora"]["dev"]


def test_configured_development_corpus_is_the_one_of_training():
    other = config()
    other["training"] = {"dev_corpus": "corpora.test"}
    assert corpus_block(other) == {"@readers": "x"}


def test_configured_corpus_by_name():
    assert corpus_block(config(), "corpora.test") == {"@readers": "x"}


def test_configured_unknown_name_tells_the_known_ones():
    with pytest.raises(ValueError, match="LP320.*corpora.tset.*corpora.dev, corpora.t"):
        corpus_block(config(), "corpora.tset")


def test_configured_path_is_read_like_the_development_corpus_but_whole():
    block = corpus_block(config(), "test.txt")
    assert block["path"] == "test.txt"
    assert block["columns"] == ["word", "tag", "chunk"]
    assert not {"part", "every", "limit"} & set(block)


def test_configured_columns_and_inputs_replace_those_of_the_config():
    block = corpus_block(config(), "a.txt", columns=["word", "tag"], inputs=[])
    assert (block["columns"], block["inputs"]) == (["word", "tag"], [])
    assert block["chunk_key"] == "np"


def test_configured_docbin_stands_for_columns():
    assert corpus_block(config(), "test.spacy") == {
        "@readers": DOCBIN,
        "path": "test.spacy",
        "inputs": ["tag", "spans:np"],
    }


def test_configured_columns_stand_for_docbin():
    spacys = {"@readers": "spacy.Corpus.v1", "path": "dev.spacy"}
    block = corpus_block(
        Config({"corpora": {"dev": spacys}}), "a.txt", columns=["word", "tag"]
    )
    assert block == {"@readers": COLUMNS, "path": "a.txt", "columns": ["word", "tag"]}


def test_configured_inputs_make_of_spacys_reader_our_own():
    spacys = {"@readers": "spacy.Corpus.v1", "path": "dev.spacy", "max_length": 0}
    block = corpus_block(Config({"corpora": {"dev": spacys}}), inputs=["tag"])
    assert block == {"@readers": DOCBIN, "path": "dev.spacy", "inputs": ["tag"]}


def test_configured_text_needs_columns_where_the_config_has_docbin():
    spacys = Config({"corpora": {"dev": {"@readers": DOCBIN, "path": "dev.spacy"}}})
    with pytest.raises(ValueError, match="LP322.*test.txt.*--columns"):
        corpus_block(spacys, "test.txt")


def test_configured_docbin_has_no_columns():
    with pytest.raises(ValueError, match="LP323.*test.spacy"):
        corpus_block(config(), "test.spacy", columns=["word"])


def test_configured_reader_without_path_cannot_read_another_file():
    pathless = Config({"corpora": {"dev": {"@readers": "mine.Reader.v1"}}})
    with pytest.raises(ValueError, match="LP321.*test.txt.*mine.Reader.v1"):
        corpus_block(pathless, "test.txt")


@pytest.mark.parametrize("suffix", [".txt", ".spacy"])
def test_configured_examples_have_their_inputs(tmp_path, suffix):
    text = tmp_path / "dev.txt"
    text.write_text(CONTENT)
    nlp = spacy.blank("en")
    nlp.config["corpora"] = config(path=str(text))["corpora"]
    path = text
    if suffix == ".spacy":
        path = tmp_path / "dev.spacy"
        convert(text, path, columns=["word", "tag", "chunk"], chunk_key="np")
    examples = list(configured_examples(nlp, str(path)))
    assert [eg.predicted[0].text for eg in examples] == ["Ann", "She", "Bye"]
    assert [eg.predicted[0].tag_ for eg in examples] == ["NNP", "PRP", "UH"]
    assert [len(eg.predicted.spans["np"]) for eg in examples] == [2, 2, 0]


def test_configured_examples_are_a_part_where_no_path_is_given(tmp_path):
    text = tmp_path / "dev.txt"
    text.write_text(CONTENT)
    nlp = spacy.blank("en")
    nlp.config["corpora"] = config(path=str(text))["corpora"]
    assert [eg.predicted[0].text for eg in configured_examples(nlp)] == ["She"]
