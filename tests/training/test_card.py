"""The card of a package says what there is to know."""

import json

import pytest
import spacy
from builders.pipelines import make_trained
from builders.sample import few_sentences
from project_files import ROOT
from spacy.cli.package import package
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


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    overrides = few_sentences(100, 0, epochs=1, every=2)
    config = load_config(ROOT / "configs" / "chunker.cfg", overrides=overrides)
    folder = tmp_path_factory.mktemp("trained")
    return fit_and_save(config, folder, quiet=True), folder / "model-best"


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # spaCy leaves files open
@pytest.mark.parametrize("card", [None, CARD])
def test_card_of_a_package(trained, tmp_path, card):
    nlp, model = trained
    meta = tmp_path / "card.json" if card else None
    if card:
        meta.write_text(json.dumps(card))
    (tmp_path / "packages").mkdir()
    package(model, tmp_path / "packages", meta, create_sdist=False, silent=True)
    (made,) = (tmp_path / "packages").iterdir()
    readme = (made / "README.md").read_text(encoding="utf-8")
    requirements = json.loads((made / "meta.json").read_text())["requirements"]
    assert "`CHUNKS_F`" in readme
    assert all(f"`{label}`" in readme for label in nlp.get_pipe("chunker").labels)
    (needed,) = (x for x in requirements if "latperc" in x.replace("_", "-"))
    assert needed.startswith("spacy-latperc>=")
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
