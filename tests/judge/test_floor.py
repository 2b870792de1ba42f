"""The floor of a judge: few good sentences of known text lie below it."""

import numpy as np
import pytest

from spacy_latperc.judge.floor import check_floor, choose_floor

RNG = np.random.default_rng(0)
KNOWN = [RNG.normal(-5, 1, 1000), RNG.normal(-7, 1, 1000)]
STRANGE = [x - 4 for x in KNOWN]


def test_few_known_sentences_are_below_the_floor():
    for strange in ([], STRANGE):
        floor = choose_floor(KNOWN, strange)
        assert all((x < floor).mean() <= 0.006 for x in KNOWN)


def test_the_floor_is_the_mean_of_those_of_strange_texts():
    wanted = np.mean([np.quantile(x, 0.005) for x in STRANGE])
    assert choose_floor(KNOWN, STRANGE) == pytest.approx(wanted)
    assert choose_floor(KNOWN, [x + 9 for x in KNOWN]) < wanted + 9


def test_a_single_text_has_a_floor_twice_as_far_away():
    floor, values = choose_floor(KNOWN[:1], []), KNOWN[0]
    distance = np.median(values) - np.quantile(values, 0.005)
    assert floor == pytest.approx(np.median(values) - 2 * distance)


def test_few_sentences_have_no_floor():
    assert choose_floor([], []) is None
    assert choose_floor([np.zeros(3)], []) is None


@pytest.mark.parametrize("saved", ["x", True, float("nan"), float("inf"), [1.0]])
def test_floors_are_checked(saved):
    check_floor(-9.5)
    check_floor(None)
    with pytest.raises(ValueError, match="floor must be"):
        check_floor(saved)
