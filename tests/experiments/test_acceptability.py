"""BLiMP and CoLA in miniature."""

import json
from itertools import cycle

import numpy as np
import pytest
from builders.grammaticality import REAL, SHUFFLED, make_trained
from builders.text import lines, read_lines

from experiments.acceptability import (
    Judged,
    Pairs,
    best_threshold,
    correlations,
    main,
    matthews,
    ngram_scorer,
    pipeline_scorer,
    preferences,
    read_judged,
    read_pairs,
)
from spacy_latperc.grammaticality.ngrams.model import NgramModel

PAIRED = list(zip(REAL, SHUFFLED, strict=True))
ACCEPTED = np.array([True, True, False, True, False])


def _by_length(texts):
    return np.array([float(len(text)) for text in texts])


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    path = tmp_path_factory.mktemp("acceptability") / "judge"
    make_trained().to_disk(path)
    return path


@pytest.fixture(scope="module")
def ngrams():
    return NgramModel.train(read_lines(*lines()))


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    """The two corpora, of shuffled sentences."""
    (tmp_path / "blimp").mkdir()
    (tmp_path / "cola").mkdir()
    rows = [
        {"sentence_good": good, "sentence_bad": bad, "field": field}
        for (good, bad), field in zip(PAIRED, cycle(("a/b", "a_b")), strict=False)
    ]
    blimp = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "blimp" / "blimp.jsonl.gz").write_text(blimp)
    cola = "".join(f"x\t1\t\t{good}\nx\t0\t*\t{bad}\n" for good, bad in PAIRED)
    for name in ("in_domain_train", "in_domain_dev", "out_of_domain_dev"):
        (tmp_path / "cola" / f"{name}.tsv").write_text(cola)
    monkeypatch.setenv("LATPERC_DATA", str(tmp_path))
    return tmp_path


def test_acceptability_ties_count_half():
    pairs = Pairs(["aaa", "a", "b", "cc"], ["a", "aa", "c", "c"], list("xxyy"))
    assert preferences(_by_length, pairs) == {"all": 0.625, "x": 0.5, "y": 0.75}


def test_acceptability_fields_are_spelled_alike(corpora):
    pairs = read_pairs(corpora / "blimp" / "blimp.jsonl.gz")
    assert set(pairs.groups) == {"a_b"}


def test_acceptability_judgements_are_the_second_column(corpora):
    found = read_judged(corpora / "cola" / "in_domain_dev.tsv")
    assert found.texts[:2] == [REAL[0], SHUFFLED[0]]
    assert found.accepted[:2].tolist() == [True, False]


def test_acceptability_matthews_is_the_correlation():
    predicted = np.array([True, False, False, True, True])
    expected = np.corrcoef(predicted, ACCEPTED)[0, 1]
    assert matthews(predicted, ACCEPTED) == pytest.approx(expected)


def test_acceptability_matthews_of_one_kind_is_zero():
    assert matthews(np.ones(5, dtype=bool), ACCEPTED) == 0.0


def test_acceptability_threshold_is_the_best_of_all():
    random = np.random.default_rng(3)
    scores = random.integers(0, 8, 60).astype(np.float64)
    accepted = random.random(60) < 0.3 + scores / 16
    best = max(set(scores), key=lambda x: (matthews(scores >= x, accepted), -x))
    assert best_threshold(scores, accepted) == best


def test_acceptability_threshold_is_of_the_training_sentences():
    train = Judged(["a", "aa", "aaa"], np.array([False, True, True]))
    part = Judged(["a", "aa", "aaa", "aaaa"], np.array([False, False, True, True]))
    found = correlations(_by_length, train, {"in": part})
    assert found["in"] == found["all"] == pytest.approx(1 / np.sqrt(3))
    assert found["auc"] == 1.0


def test_acceptability_pipelines_score_by_their_margin(pipeline):
    score = pipeline_scorer(pipeline)
    shares = preferences(score, Pairs(REAL, SHUFFLED, ["x"] * len(REAL)))
    assert shares["all"] > 0.9


def test_acceptability_ngrams_see_tokens(ngrams):
    words = "The dog sees a man .".split()
    expected = ngrams.score_sentences([words])
    text = ["The dog sees a man."]
    assert ngram_scorer(ngrams)(text) == pytest.approx(expected)
    per_token = ngram_scorer(ngrams, per_token=True)(text)
    assert per_token == pytest.approx(expected / 7)


def test_acceptability_command_prints_both(corpora, pipeline, ngrams, capsys):
    ngrams.to_disk(corpora / "toy.ngrams")
    figures = corpora / "figures.json"
    path = str(corpora / "toy.ngrams")
    main([str(pipeline), "--ngrams", path, "--json", str(figures)])
    assert set(json.loads(figures.read_text())["judge"]) == {"blimp", "cola"}
    printed = capsys.readouterr().out
    for name in ("BLiMP", "judge", "toy, sum", "toy, per token", "a_b", "MCC out"):
        assert name in printed


def test_acceptability_needs_the_corpora(monkeypatch, tmp_path, pipeline):
    monkeypatch.setenv("LATPERC_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(SystemExit, match="LATPERC_DATA"):
        main([str(pipeline)])
