"""The table of ready models; building them takes minutes and a corpus each."""

import pytest
from project_files import ROOT
from spacy.util import load_config

from tools import build_models
from tools.corpora.datasets import DATASETS

COMMANDS = {"fit", "compact", "convert", "evaluate", "judge"}


@pytest.fixture(scope="module")
def table():
    return build_models.read_table()


def test_ready_models_name_what_exists(table):
    for name, model in table.items():
        assert name.split("_")[1] == "latperc"
        assert set(model["corpora"]) <= DATASETS.keys()
        assert model["scores"] and model["text"] and model["license"]
        assert all(source["url"] and source["license"] for source in model["sources"])
        assert bool(model["research"]) == ("research" in model["license"])
        commands = [*model["train"], model["evaluate"]]
        assert {command.split()[0] for command in commands} <= COMMANDS


def test_changes_of_configs_are_settings_of_them(table):
    for name, model in table.items():
        if "config" not in model:
            continue
        config = load_config(ROOT / "configs" / f"{model['config']}.cfg")
        changed = config.merge(model["changes"]).interpolate()
        assert changed["nlp"]["lang"] == name.split("_")[0]
        assert set(changed["nlp"]["pipeline"]) == set(changed["components"])
        assert changed["paths"]["train"].split("/")[1] in model["corpora"]
        for block in changed["components"].values():
            assert block["factory"] == "latperc_tagger" or "attribute" not in block


def test_an_entry_completes_the_one_that_it_is_like(table):
    plain, accurate = table["en_latperc_web"], table["en_latperc_web_minilm"]
    assert accurate["scores"] == plain["scores"]
    assert "minilm" in str(accurate["changes"]) and "minilm" not in str(
        plain["changes"]
    )


def test_ready_models_of_research_corpora_are_built_when_asked_for(table, capsys):
    free = build_models.chosen(table, [], research=False)
    assert free and not any(model["research"] for model in free.values())
    assert "es_latperc_news needs --research: CoNLL-2002" in capsys.readouterr().out
    assert build_models.chosen(table, [], research=True) == table
    with pytest.raises(SystemExit, match="no model nope"):
        build_models.chosen(table, ["nope"], research=False)
