"""What the experiment with real and sampled sentences is built of."""

import pytest
from builders.classifiers import make_sentences

from experiments import grammaticality as experiment
from experiments.grammaticality import RUNS, make_classifier, measure
from experiments.grammaticality_data import (
    Labelled,
    load_sets,
    save_sets,
)
from experiments.grammaticality_templates import ADDITIONS, enriched
from spacy_latperc.features.sets import custom_templates, grammaticality
from spacy_latperc.grammaticality.classifier import LatentClassifier
from spacy_latperc.grammaticality.classifier.online import latent_pa


def labelled(seed: int) -> Labelled:
    batch, gold = make_sentences(seed)
    return Labelled(batch.values, batch.docs, gold)


def test_grammaticality_sets_come_back_from_disk(tmp_path):
    sets = {"train": [labelled(1)], "A": [labelled(2), labelled(3)]}
    save_sets(tmp_path / "sets.npz", sets)
    found = load_sets(tmp_path / "sets.npz")
    assert {part: len(several) for part, several in found.items()} == {
        "train": 1,
        "A": 2,
    }
    assert (found["A"][1].values == sets["A"][1].values).all()


@pytest.mark.parametrize("name", RUNS)
def test_grammaticality_runs_can_be_made_and_measured(name):
    batch, _ = make_sentences(1)
    sets = {"train": [labelled(1)], "dev": [labelled(2)], "A": [labelled(3)]}
    sets["B"] = sets["A"]
    features = custom_templates(["w[0]"])
    classifier = make_classifier(features, *RUNS[name], {}, 0)
    found = measure(classifier, sets, batch.lookup, 2, every=2)
    assert [figures["pass"] for figures in found] == [2]
    assert 0 <= found[0]["A accuracy"] <= 100


def test_grammaticality_settings_can_be_chosen_without_the_tests():
    batch, _ = make_sentences(1)
    sets = {"train": [labelled(1)], "dev": [labelled(2)]}
    features = custom_templates(["w[0]"])
    classifier = make_classifier(features, *RUNS["1 view"], {}, 0)
    found = measure(classifier, sets, batch.lookup, 1)
    assert "dev accuracy" in found[0]
    assert "A accuracy" not in found[0]


def test_grammaticality_templates_read_the_columns_of_the_papers():
    paper = LatentClassifier(grammaticality(), latent_pa()).plan.columns
    assert LatentClassifier(enriched(ADDITIONS), latent_pa()).plan.columns == paper


def test_grammaticality_templates_without_additions_are_the_papers():
    assert enriched([], min_count=2) == grammaticality(min_count=2)


def test_grammaticality_templates_of_words_alone_read_no_tags():
    features = enriched(ADDITIONS, tags=False)
    assert "TAG" not in LatentClassifier(features, latent_pa()).plan.columns


def test_grammaticality_test_a_can_be_that_of_fewer_sentences(monkeypatch, tmp_path):
    asked = []

    class ToyMaterial:
        lookup = staticmethod(make_sentences(1)[0].lookup)

        def sets(self, name, n, *, columns, tests):
            asked.append(n)
            return {part: [labelled(n)] for part in ("train", "dev", "A", "B")}

    seen = {}

    def look(classifier, sets, lookup, passes, **_):
        seen.update(sets)
        return measure(classifier, sets, lookup, passes)

    monkeypatch.setattr(experiment, "Material", ToyMaterial)
    monkeypatch.setattr(experiment, "measure", look)
    (tmp_path / "templates").write_text("w[0]")
    given = ["--templates", str(tmp_path / "templates"), "--passes", "1"]
    experiment.main([*given, "--run", "1 view", "--n", "9", "--tests-of", "4"])
    assert asked == [9, 4]
    assert (seen["A"][0].values == labelled(4).values).all()
    assert (seen["B"][0].values == labelled(9).values).all()


@pytest.mark.parametrize(
    "options",
    [
        ("--negatives", "nothing"),
        ("--set", "nothing=1"),
        ("--set", "C=-1"),
        ("--passes", "0"),
        ("--tests-of", "0"),
        ("--cache", "/dev/null/cache"),
        ("--json", "/"),
        ("--templates", "nowhere.txt"),
    ],
)
def test_grammaticality_refuses_before_it_reads(monkeypatch, options, capsys):
    """A cache in a folder that cannot be made used to fail after all the work."""
    monkeypatch.setattr(experiment, "Material", None)
    with pytest.raises(SystemExit):
        experiment.main(["--run", "1 view", *options])
    assert "error:" in capsys.readouterr().err


def test_grammaticality_makes_the_folder_of_its_cache(monkeypatch, tmp_path):
    sets = {part: [labelled(1)] for part in ("train", "dev", "A", "B")}

    class Toy:
        lookup = staticmethod(make_sentences(1)[0].lookup)

        def sets(self, *arguments, **settings):
            return sets

    monkeypatch.setattr(experiment, "Material", Toy)
    cache = tmp_path / "missing" / "cache"
    (tmp_path / "templates").write_text("w[0]")
    options = ["--cache", str(cache), "--run", "1 view", "--passes", "1"]
    for _ in range(2):
        experiment.main([*options, "--templates", str(tmp_path / "templates")])
    assert len(list(cache.iterdir())) == 1
