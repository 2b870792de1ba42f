"""The experiment on gazetteers, on the bundled sample."""

import warnings

import pytest
from project_files import ROOT

from experiments import gazetteers

NAME = "sample"


@pytest.fixture(autouse=True)
def sample(monkeypatch):
    files = [f"assets/sample/{part}.txt" for part in ("train", "dev")]
    corpus = ("en", "word,-,-,ent", *files, 1.0)
    monkeypatch.setitem(gazetteers.CORPORA, NAME, corpus)
    monkeypatch.setattr(gazetteers, "required_file", lambda name: ROOT / name)
    monkeypatch.chdir(ROOT)


def test_gazetteers_lists_are_the_entities_of_a_part():
    every = gazetteers.phrases_of(NAME)
    some = gazetteers.phrases_of(NAME, 100)
    assert set(some) == set(every) == {"LOC", "MISC", "ORG", "PER"}
    assert all(some[label] < every[label] for label in every)
    assert ("Marleford",) in every["PER"]


def test_gazetteers_coverage_is_of_held_out_entities():
    held_out = gazetteers.phrases_of(NAME, dev=True)
    assert gazetteers.coverage(NAME, held_out) == 1
    assert gazetteers.coverage(NAME, {"PER": set()}) == 0
    assert 0 < gazetteers.coverage(NAME, gazetteers.phrases_of(NAME)) < 1


def test_gazetteers_are_learned_from():
    lists = {"LOC": {("Nowhere",)}, "ORG": {("Nothing", "Inc.")}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert 0.5 < gazetteers.score(NAME, 100, lists, 0) <= 1
