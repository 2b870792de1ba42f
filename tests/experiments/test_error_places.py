"""Errors that are put into sentences, and spans that are picked."""

import numpy as np
import pytest

from experiments import error_places
from experiments.error_places import ERRORS, _hits


@pytest.mark.parametrize(
    ("kind", "words", "place"),
    [
        ("swap", [10, 11, 13, 12, 14], range(2, 4)),
        ("deletion", [10, 11, 13, 14], range(1, 3)),
        ("insertion", [10, 11, 99, 12, 13, 14], range(2, 3)),
        ("substitution", [10, 11, 99, 13, 14], range(2, 3)),
    ],
)
def test_error_places_are_where_the_error_is(kind, words, place):
    real = np.arange(10, 15, dtype=np.int32)
    broken, found = ERRORS[kind](real, 2, 99)
    assert (broken.tolist(), found) == (words, place)


def test_error_places_count_the_spans_that_the_component_shows():
    costs = np.array([[0.1, 0.9], [0.8, 0.2], [0.3, 0.1], [0.2, -np.inf]])
    bounds = np.array([0, 4])
    assert _hits(costs, bounds, [range(2, 3)], 1) == (0, 0.5)
    assert _hits(costs, bounds, [range(2, 3)], 2) == (1, 0.75)
    assert _hits(-np.abs(costs), bounds, [range(0, 4)], 2) == (0, 0)


@pytest.mark.parametrize(
    "options", [("--negatives", "no"), ("--noise", "0.3"), ("--longest", "0")]
)
def test_error_places_refuse_before_they_read(monkeypatch, options):
    monkeypatch.setattr(error_places, "Material", None)
    with pytest.raises(SystemExit):
        error_places.main(list(options))
