"""The F1 that both sides are given."""

import pytest

from benchmarks.tasks.evaluation import chunk_f1

GOLD = [["B-NP", "I-NP", "O"], ["B-VP"]]


def test_evaluation_balances_precision_and_recall_of_types_and_borders():
    assert chunk_f1(GOLD, [[(0, 2, "NP")], [(0, 1, "VP")]]) == 100
    assert chunk_f1(GOLD, [[(0, 2, "NP")], []]) == pytest.approx(200 / 3)
    for found in ([(0, 1, "NP")], [(0, 2, "VP")], [(1, 2, "NP")]):
        assert chunk_f1(GOLD[:1], [found]) == 0
    assert chunk_f1([["O"]], [[]]) == 0
