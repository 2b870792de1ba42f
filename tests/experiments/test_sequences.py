"""Rows of the papers' tables, and the significance of differences."""

import dataclasses
import itertools

import numpy as np
import pytest

from experiments import acronyms, hidden_states, sequences
from experiments.significance import compare, mcnemar, p_value
from tools.corpora.locate import data_folder

NEEDS_DATA = pytest.mark.skipif(
    data_folder() is None, reason="LATPERC_DATA has no corpora"
)


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


def test_seeds_that_differ_by_chance_are_no_difference_between_systems():
    answers = np.random.default_rng(0).integers(0, 2, (2, 3, 200))
    one, other = ([[(int(x), 1, 1) for x in run] for run in runs] for runs in answers)
    other[0] = [(0, 1, 1)] * 200  # a seed that fell apart
    other[1:] = [[(1, 1, 1)] * 150 + [(0, 1, 1)] * 50 for _ in range(2)]
    measured = []

    def measure(row):
        measured.append(row)
        compare(row, one, None, measure)

    found = compare({"a": 1, "mcnemar": True}, other, {"a": 0}, measure)
    assert measured == [{"a": 0}] and found["mcnemar"] < 1e-9 < 0.05 < found["p"]
    compare({"a": 1}, other, {"a": 0}, measure)
    assert len(measured) == 1


def test_same_answers_do_not_differ():
    counts = [(1, 2, 2), (0, 1, 3)]
    assert p_value(counts, counts) == mcnemar(counts, counts) == 1


def test_mcnemar_counts_sentences_that_one_system_alone_has_right():
    right, wrong = (1, 1, 1), (0, 1, 1)
    x, y = [right] * 5 + [wrong, right], [wrong] * 5 + [right, right]
    assert mcnemar(x, y) == pytest.approx(2 * (1 + 6) / 2**6)


def test_points_of_hidden_states(monkeypatch):
    monkeypatch.setattr(hidden_states, "SIZES", (60, 20, 20))
    row = {"strengths": [0.6, 0.9], "seeds": 2, "passes": 2, "latent": 2}
    found = hidden_states.measure({**row, "learner": {"name": "Perceptron"}})
    assert found["mean"] == found["curve"][1]["mean"] and "p" not in found
    assert all(0 < x["low"] <= x["mean"] <= x["high"] < 100 for x in found["curve"])
    bound = hidden_states.measure({"strengths": [0.9]})
    assert bound["mean"] == pytest.approx(84.9, abs=0.1)


@NEEDS_DATA
@pytest.mark.filterwarnings("ignore:.*LP921")
def test_a_row_of_noun_phrases():
    features = {"name": "np_chunking", "edges": True, "latent_form": "full"}
    plain = {"task": "np", "limit": 60, "features": features, "passes": 2, "seeds": 2}
    plain |= {"learner": {"name": "Perceptron"}, "choose": True, "curve": True}
    latent = {**plain, "model": {"latent": 2}, "mcnemar": True}
    found = sequences.measure(latent, plain)
    assert found["mean"] > 20 and found["seconds"] > 0 and found["passes"] in (1, 2)
    assert len(found["curve"]) == found["passes"]
    assert 0 < found["p"] <= 1 and 0 < found["mcnemar"] <= 1
    assert sequences.measure(plain, plain)["p"] == 1


@NEEDS_DATA
def test_updates_of_a_beam_are_counted():
    row = {"task": "tags", "limit": 60, "features": {"name": "slides_pos"}}
    row |= {"model": {"search": {"@misc": "spacy_latperc.Beam.v1", "width": 1}}}
    row |= {"passes": 1, "seeds": 1}
    for method in ("standard", "max"):
        learner = {"name": "ViolationFixing", "method": method}
        share = sequences.measure({**row, "learner": learner})["no_violation"]
        assert (share > 0) == (method == "standard")


@NEEDS_DATA
@pytest.mark.parametrize("task", ["np", "tags"])
def test_a_network_learns_in_place_of_a_chain(task):
    row = {"task": task, "limit": 30, "encoder": "CNN", "passes": 2, "seeds": 1}
    whole = sequences.read_task(task, 30)
    part = dataclasses.replace(whole, test=whole.train)
    first, last = sequences.learn(row, part, 2, 0, every=True)
    assert len(last[0]) == 30 and last[1] > first[1] > 0
    assert sequences.score(last[0]) > (0.1 if task == "tags" else 0)


def test_letters_of_acronyms_are_found_from_the_right():
    assert acronyms.align("for the nuclear factor", "NXT") is None
    text, labels = acronyms.align("a nuclear factor of activated T cells", "NFAT")
    shown = "".join(
        c.upper() if y == "I" else c.lower() for c, y in zip(text, labels, strict=True)
    )
    assert shown == "Nuclear Factor of Activated T cells"
    assert acronyms._runs(list("IOOOOOIO")) == "I O0 O1 O2 O3 O3 I O0".split()
