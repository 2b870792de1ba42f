"""Sets of negatives: matched, shared by no two parts, the same with the same seed."""

from dataclasses import replace

import numpy as np
import pytest
from builders.text import lines, read_lines, text

from spacy_latperc.grammaticality.negatives.make import (
    Settings,
    find_construction,
    make_negatives,
)
from spacy_latperc.grammaticality.negatives.matching import fill_places
from spacy_latperc.grammaticality.ngrams.ngram_model import NgramModel

MATCHED = Settings(find_construction("kn_m"), n=150)


def made(settings=MATCHED, **options):
    return make_negatives(text(), settings, **options)


def test_negatives_matched_are_new_and_as_long_as_their_positives():
    found = made()
    assert len(found.negatives) > 100
    assert np.array_equal(found.negatives.lengths, found.positives.lengths)
    written = [" ".join(words) for words in found.negatives]
    assert not set(written) & set(lines())
    assert len(set(written)) == len(written)
    for words in found.negatives:
        assert words[0] == "The"
        assert words[-1] == "."
        assert words.count(".") == 1
        assert words.count("(") == words.count(")")

    n = len(found.part)
    sizes = np.bincount(found.part, minlength=3)
    assert np.abs(sizes - np.asarray([0.8, 0.1, 0.1]) * n).max() <= 3
    sets = [set() for _ in range(3)]
    for side in (found.positives, found.negatives):
        for words, part in zip(side, found.part, strict=True):
            sets[part].add(" ".join(words))
    assert sum(map(len, sets)) == 2 * n == len(set.union(*sets))


def test_negatives_raw_are_as_many_and_no_positives():
    settings = Settings(find_construction("paper"), n=60)
    found = made(settings)
    assert len(found.negatives) == 60
    positives = {" ".join(words) for words in found.positives}
    assert not positives & {" ".join(words) for words in found.negatives}
    assert len(set(found.negatives.lengths.tolist())) > 3
    assert found.checks == ()


def test_negatives_of_the_paper_have_words_of_the_positives_only():
    positives = read_lines(*lines())
    real = positives.take(np.arange(30))
    settings = Settings(find_construction("paper"))
    found = make_negatives(positives, settings, positives=real)
    assert set(found.negatives.ids.tolist()) <= set(real.ids.tolist())
    way = replace(find_construction("paper"), vocabulary_of_positives=False)
    free = make_negatives(positives, Settings(way), positives=real)
    assert not set(free.negatives.ids.tolist()) <= set(real.ids.tolist())


def test_negatives_same_seed_same_set():
    first, second, other = made(), made(), made(replace(MATCHED, seed=1))
    assert np.array_equal(first.negatives.ids, second.negatives.ids)
    assert np.array_equal(first.part, second.part)
    assert not np.array_equal(first.negatives.ids, other.negatives.ids)
    found = made(replace(MATCHED, n=20))
    assert {" ".join(words) for words in found.positives} <= set(lines()[:20])


def test_negatives_leave_out_copies_and_odd_sentences():
    odd = ["no capital here .", "Tiny .", "The dog " * 30 + "."]
    sentences = read_lines(*lines(), *lines()[:7], *odd)
    counts = make_negatives(sentences, replace(MATCHED, n=0)).counts
    assert counts["copies"] == 7
    assert counts["too short or too long"] == 2
    assert counts["unlike the other real ones"] == 1


def test_negatives_leave_out_positives_that_nothing_can_match():
    # Nothing but the text itself has thirty words.
    long = "The dog " + "sees a bird and then " * 6 + "sleeps ."
    sentences = read_lines(*lines(), long)
    found = make_negatives(sentences, Settings(find_construction("kn_m"), n=0))
    assert found.counts["positives without a negative"] > 0
    assert np.array_equal(found.negatives.lengths, found.positives.lengths)
    with pytest.raises(ValueError, match="LP419"):
        alone = read_lines("no no no no no")
        make_negatives(alone, Settings(find_construction("kn_m")))


REFUSED = [
    *(({"shortest": 0}, "LP415"), ({"shortest": 9, "longest": 8}, "LP415")),
    ({"shortest": 40, "longest": 50}, "LP418"),  # no sentence is so long
    *(({"shares": x}, "LP416") for x in ((), (0, 0), (1, -1), (1, 1, 1, 1))),
]


@pytest.mark.parametrize("change, code", REFUSED)
def test_negatives_settings_that_make_no_sense(change, code):
    with pytest.raises(ValueError, match=code):
        made(replace(MATCHED, **change))


def test_negatives_fill_places_whatever_the_portions(monkeypatch):
    model = NgramModel.train(text())
    places, every = np.asarray([6, 7, 8] * 30), lambda s: np.ones(len(s), bool)
    how = {"matched": True, "seed": 3, "accept": every, "shortest": 1, "longest": 20}
    whole = fill_places(model, places, **how)
    monkeypatch.setattr("spacy_latperc.grammaticality.negatives.matching.PORTION", 17)
    parts = fill_places(model, places, **how)
    assert sorted(whole.places.tolist()) == list(range(90))
    assert sorted(parts.sentences.hashes()) == sorted(whole.sentences.hashes())
