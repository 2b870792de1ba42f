"""The card of a package says what there is to know."""

import json
import subprocess
import sys

import pytest
import spacy
from builders.pipelines import make_trained
from builders.sample import few_sentences
from project_files import ROOT
from spacy.util import load_config

from spacy_latperc.io.pipelines import save_pipeline
from spacy_latperc.training.card import complete_card
from spacy_latperc.training.fit import fit_and_save

CARD = {
    "description": "Chunks of English news.",
    "license": "CC0-1.0",
    "author": "A. Author",
    "url": "https://example.org/chunks",
    "notes": "Trained on made-up sentences.",
    "sources": [{"name": "sample"}, {"name": "other", "url": "https://example.org/o"}],
}


def packaged(folder, name, card):
    (folder / "packages").mkdir()
    command = [sys.executable, "-m", "spacy", "package", str(folder / name)]
    command += [str(folder / "packages"), "--build", "none"]
    if card is not None:
        (folder / "card.json").write_text(json.dumps(card))
        command += ["--meta-path", str(folder / "card.json")]
    subprocess.run(command, check=True, capture_output=True)
    (made,) = (folder / "packages").iterdir()
    readme = (made / "README.md").read_text(encoding="utf-8")
    return readme, json.loads((made / "meta.json").read_text())


@pytest.mark.parametrize("card", [None, CARD])
def test_card_of_a_package(tmp_path, card):
    overrides = few_sentences(100, 0, epochs=1, every=2)
    config = load_config(ROOT / "configs" / "chunker.cfg", overrides=overrides)
    nlp = fit_and_save(config, tmp_path, quiet=True)
    readme, meta = packaged(tmp_path, "model-best", card)
    assert "`CHUNKS_F`" in readme
    assert all(f"`{label}`" in readme for label in nlp.get_pipe("chunker").labels)
    needed = [x for x in meta["requirements"] if "latperc" in x.replace("_", "-")]
    assert len(needed) == 1
    assert needed[0].startswith("spacy-latperc>=")
    if card is None:
        assert "`chunker` finds chunks (PassiveAggressive)." in readme
        assert "| **Sources** | train.txt |" in readme
    else:
        assert readme.startswith("Chunks of English news.")
        assert "sample<br>[other](https://example.org/o)" in readme
        assert "`CC0-1.0`" in readme
        assert "[A. Author](https://example.org/chunks)" in readme
        assert readme.rstrip().endswith("Trained on made-up sentences.")


def test_card_says_nothing_of_where_files_lie(tmp_path):
    nlp = make_trained("latperc_tagger")
    nlp.config["paths"]["train"] = str(tmp_path / "secret" / "train.txt")
    complete_card(nlp)
    assert nlp.meta["sources"] == [{"name": "train.txt"}]
    save_pipeline(nlp, tmp_path / "model")
    assert spacy.load(tmp_path / "model").meta["sources"] == [{"name": "train.txt"}]
