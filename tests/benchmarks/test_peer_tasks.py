"""Other packages: that they learn and tag, on a few sentences, and what is compared."""

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from benchmarks import process, run
from benchmarks.corpora import find_corpora, short_texts
from benchmarks.run import NO_NLTK, NO_PEER, run_bench
from benchmarks.tasks.evaluation import tag_accuracy
from benchmarks.tasks.latency import single
from benchmarks.tasks.spacy_own import score, train
from benchmarks.tasks.tagging import pipe


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """The sample, with a small part to test on."""
    found, small = find_corpora("sample").chunks, tmp_path_factory.mktemp("small")
    sentences = Path(found.test).read_text().split("\n\n")[:40]
    (small / "test.txt").write_text("\n\n".join(sentences) + "\n\n")
    return replace(found, test=str(small / "test.txt"))


@pytest.mark.parametrize("component", ["tagger", "ner"])
def test_spacys_own_components_are_measured_like_ours(component, corpus, tmp_path):
    model = str(tmp_path / "model")
    settings = {"component": component, "passes": 1, "limit": 20, "output": model}
    assert train(corpus=corpus, **settings)["seconds"] > 0
    scored = score(corpus=corpus, model=model)
    assert 0 <= scored["score"] < 100
    assert scored["model_mb"] > 1  # the network
    asked = {"corpus": corpus, "model": model, "inputs": [], "passes": 1}
    assert pipe(**asked)["rate"] > 0
    assert single(**asked)["call"] > 0


def test_nltk_learns_from_tags(corpus, tmp_path):
    pytest.importorskip("nltk")
    from benchmarks.tasks import nltk_tagger

    model = str(tmp_path / "model")
    nltk_tagger.train(corpus=corpus, passes=2, limit=50, output=model)
    found = nltk_tagger.tag(corpus=corpus, model=model)
    assert 50 < found["score"] < 100
    assert found["rate"] > 0 and found["call"] > 0 and found["model_mb"] > 0


def test_accuracy_counts_tags_and_single_texts_are_short():
    assert tag_accuracy([["A", "B", "C"], ["D"]], [["A", "B", "X"], ["D"]]) == 75
    texts = ["a" * n for n in (3, 9, 40, 11)]
    assert short_texts(texts) == ["a" * 9, "a" * 11]
    assert short_texts(texts[:1]) == ["aaa"]


def report_of(present, monkeypatch):
    """The report with these packages, with figures that are made up."""
    rates = {"spacy_own": 2e4, "tagging": 2e6, "latency": 2e6, "training": 2e6}

    def run_task(task):
        module = task.function.partition(".")[0]
        ours = "spaCy" not in str(asdict(task)) and module != "nltk_tagger"
        size = 1.0 if ours else 4.0
        return {
            "rate": rates.get(module, 5e4) if ours else 2e4,
            "call": 20 * size,
            "seconds": 10 * size,
            "peak_mb": 100 * size,
            "model_mb": size,
            "score": 90.0,
            "cpu_share": 1.0,
        }

    monkeypatch.setattr(process, "run_task", run_task)
    monkeypatch.setattr(run, "pin_to_one_core", lambda: None)
    monkeypatch.setattr(run, "find_spec", lambda name: name in present or None)
    return run_bench(data="sample", only=["peers"], progress=lambda line: None)


def test_peers_stand_beside_ours_or_are_named_where_not_installed(monkeypatch):
    report = report_of(["nltk", "pycrfsuite"], monkeypatch)
    rows = {row.what: row for row in report.sections[0].rows}
    assert rows["tags: fresh text, spacy_latperc / spaCy"].median == 100
    assert rows["tags: a sentence of ten tokens, NLTK / spacy_latperc"].median == 4
    assert rows["tags: accuracy after 5 passes, NLTK"].median == 90
    assert rows["entities: F1 after 3 passes, spaCy"].median == 90
    assert rows["entities: training, a pass, spacy_latperc"].median == 1
    assert not any("entities" in what and "NLTK" in what for what in rows)
    report = report_of(["pycrfsuite"], monkeypatch)
    assert NO_NLTK in report.notes and NO_PEER not in report.notes
    assert not any("NLTK" in row.what for row in report.sections[0].rows)
