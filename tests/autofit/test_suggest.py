"""Texts that are worth annotating, and how they are chosen."""

import json

import numpy as np
import pytest
import spacy
from builders.sample import SAMPLE
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from spacy_latperc.autofit.exports import read_export
from spacy_latperc.autofit.suggest import MEASURES, choose, suggest
from spacy_latperc.cli import latperc_cli

TEXTS = st.lists(
    st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 9)), max_size=4),
    max_size=6,
)


@given(TEXTS, st.integers(1, 7))
def test_choice_is_that_of_a_search_of_all_texts_in_each_step(texts, n):
    words = [[word for word, _ in text] for text in texts]
    values = [np.array([float(x) for _, x in text]) for text in texts]
    seen, rest, expected = [], list(range(len(texts))), []
    while rest and len(expected) < n:
        worth = {
            i: (values[i] / [1 + seen.count(word) for word in words[i]]).sum()
            for i in rest
        }
        best = max(rest, key=lambda i: (worth[i], -i))
        expected.append((best, worth[best]))
        seen += words[best]
        rest.remove(best)
    assert list(choose(values, words, n)) == expected


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("suggest")
    train, dev = SAMPLE / "test.txt", SAMPLE / "dev.txt"
    command = ["fit", train, "--dev", dev, "-o", folder, "-q", "--lang", "en"]
    command += ["--for", "speed"]
    result = CliRunner().invoke(latperc_cli, [*map(str, command)])
    assert result.exit_code == 0, result.output
    return folder / "model-best"


@pytest.mark.parametrize("measure", MEASURES)
def test_suggested_texts_are_uncertain_and_differ(model, measure):
    nlp = spacy.load(model)
    easy, hard = "It is not so .", "Zyx Qwrt of Plimsol and Vrba Ltd ."
    docs = [nlp.make_doc(text) for text in (easy, easy, hard, easy)]
    found = suggest(nlp, nlp.get_pipe("ner"), docs, 2, measure=measure)
    assert [doc.text for doc, _ in found] == [hard, easy]
    assert found[0][1] > found[1][1]


def test_written_texts_are_read_again(model, tmp_path):
    source, output = tmp_path / "raw.txt", tmp_path / "some.jsonl"
    source.write_text("Mr. Hale sleeps in Marleford .\n\nIt is so .\nIt is so .\n")
    command = ["suggest", model, source, "-o", output, "-n", 5]
    result = CliRunner().invoke(latperc_cli, [*map(str, command)])
    assert result.exit_code == 0, result.output
    assert "2 of 2 texts" in result.output
    found = {x.text: x.spans for x in read_export(output)}
    spans = found["Mr. Hale sleeps in Marleford ."]
    assert [(s, e) for s, e, _ in spans] == [(4, 8), (19, 28)]
    for record in map(json.loads, output.read_text().splitlines()):
        assert record["label"] == [[*x.values()] for x in record["spans"]]
