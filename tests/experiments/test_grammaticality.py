"""The parts of the experiment with real and sampled sentences."""

import pytest
from builders.classifiers import make_sentences

from benchmarks.results.papers import all_rows
from experiments import grammaticality as experiment
from experiments.grammaticality_data import Labelled

ROWS = {row.name: row.settings for _, row in all_rows() if row.kind == "grammaticality"}


def labelled(seed: int) -> Labelled:
    batch, gold = make_sentences(seed)
    return Labelled(batch.values, batch.docs, gold)


@pytest.mark.parametrize("name", ROWS)
def test_grammaticality_rows_can_be_measured(name, monkeypatch):
    class Texts:
        lookup = staticmethod(make_sentences(1)[0].lookup)

    sets = {"train": [labelled(1)], "dev": [labelled(2)], "A": [labelled(3)]}
    sets["B"] = sets["A"]
    monkeypatch.setattr(experiment, "_material", Texts)
    monkeypatch.setattr(experiment, "_sets", lambda *arguments: sets)
    cut = {"passes": 2, "evaluate": 2, "seeds": 2, "warm": 0.0}
    row = {key: x for key, x in ROWS[name].items() if key != "phrases"}
    found = experiment.measure({**row, **cut})
    assert [point["pass"] for point in found["curve"]] == [2]
    assert 0 <= found["mean"] <= 100 and len(found["runs"]) == 2
