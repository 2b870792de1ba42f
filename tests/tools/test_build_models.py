"""The table of ready models; building them takes minutes and a corpus each."""

import pytest
from project_files import ROOT

from tools import build_models
from tools.corpora.datasets import DATASETS


def test_ready_models_name_what_exists():
    for model in build_models.MODELS:
        assert (ROOT / "configs" / f"{model.config}.cfg").is_file()
        assert model.corpus in DATASETS
        assert model.research == ("research" in model.license)
        words = model.settings.split()
        assert all(word.startswith("--") for word in words[::2])
        assert not any(word.startswith("--") for word in words[1::2])
    names = [model.package for model in build_models.MODELS]
    assert len(set(names)) == len(names)


def test_ready_models_of_research_corpora_are_built_when_asked_for(capsys):
    free = build_models.chosen([], research=False)
    assert free and not any(model.research for model in free)
    assert "es_latperc_news needs --research" in capsys.readouterr().out
    assert len(build_models.chosen([], research=True)) > len(free)
    with pytest.raises(SystemExit, match="no model nope"):
        build_models.chosen(["nope"], research=False)
