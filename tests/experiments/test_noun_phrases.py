"""The tables of noun phrases, and the significance of differences."""

import itertools
import json

import numpy as np
import pytest

from experiments import hidden_states, noun_phrases
from experiments.significance import p_value
from tools.corpora.locate import data_folder


def _f(counts):
    right, given, gold = np.sum(counts, axis=0)
    return 2 * right / max(given + gold, 1)


def test_p_value_approaches_that_of_all_swaps():
    rng = np.random.default_rng(1)
    gold = rng.integers(1, 5, 9)
    systems = []
    for _ in range(2):
        right = rng.integers(0, gold + 1)
        systems.append(np.stack([right, right + rng.integers(0, 3, 9), gold], axis=1))
    x, y = systems
    found = abs(_f(x) - _f(y))
    swaps = itertools.product((False, True), repeat=9)
    at_least = [
        abs(_f(np.where(s, y, x)) - _f(np.where(s, x, y))) >= found - 1e-12
        for s in (np.array(swap)[:, None] for swap in swaps)
    ]
    assert p_value(x, y) == pytest.approx(np.mean(at_least), abs=0.02)


def test_same_answers_do_not_differ():
    counts = [(1, 2, 2), (0, 1, 3)]
    assert p_value(counts, counts) == 1


def test_figure_of_hidden_states(monkeypatch, tmp_path):
    monkeypatch.setattr(hidden_states, "SIZES", (60, 20, 20))
    monkeypatch.setattr(hidden_states, "PASSES", 2)
    monkeypatch.setattr(hidden_states, "STRENGTHS", (0.9,))
    hidden_states.main(["--figure", "--seeds", "2", "--json", str(tmp_path / "x")])
    rows = json.loads((tmp_path / "x").read_text())
    assert [row["model"] for row in rows] == [*hidden_states.FIGURE, "the true model"]
    assert all(0 < row["mean"] < 100 and row["p"] == 0.9 for row in rows)


@pytest.mark.skipif(data_folder() is None, reason="LATPERC_DATA has no corpora")
def test_table_of_noun_phrases(tmp_path):
    path = tmp_path / "x.json"
    words = ["latent", "--rows", "Perc avg,Lat-Perc avg", "--limit", "60"]
    noun_phrases.main([*words, "--passes", "2", "--seeds", "2", "--json", str(path)])
    plain, latent = json.loads(path.read_text())
    assert plain["name"] == "Perc avg" and plain["p"] == 1
    assert latent["mean"] > 20 and latent["seconds"] > 0
