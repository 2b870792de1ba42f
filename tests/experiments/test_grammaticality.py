"""The parts of the experiment with real and sampled sentences."""

import pytest
from builders.classifiers import make_sentences

from experiments import grammaticality as experiment
from experiments.grammaticality import RUNS, make_classifier, measure
from experiments.grammaticality_data import Labelled


def labelled(seed: int) -> Labelled:
    batch, gold = make_sentences(seed)
    return Labelled(batch.values, batch.docs, gold)


@pytest.mark.parametrize("name", RUNS)
def test_grammaticality_runs_can_be_made_and_measured(name):
    batch, _ = make_sentences(1)
    sets = {"train": [labelled(1)], "dev": [labelled(2)]}
    tests = dict.fromkeys("AB", [labelled(3)])
    classifier = make_classifier(*RUNS[name], 0)
    found = measure(classifier, sets | tests, batch.lookup, 2, every=2)
    assert [figures["pass"] for figures in found] == [2]
    assert 0 <= found[0]["A accuracy"] <= 100
    if name == "1 view":  # settings can be chosen without the tests
        found = measure(make_classifier(*RUNS[name], 0), sets, batch.lookup, 1)
        assert "dev accuracy" in found[0] and "A accuracy" not in found[0]


@pytest.mark.parametrize(
    "options", [("--negatives", "nothing"), ("--passes", "0"), ("--json", "/")]
)
def test_grammaticality_refuses_before_it_reads(monkeypatch, options, capsys):
    monkeypatch.setattr(experiment, "Material", None)
    with pytest.raises(SystemExit):
        experiment.main(["--run", "1 view", *options])
    assert "error:" in capsys.readouterr().err
