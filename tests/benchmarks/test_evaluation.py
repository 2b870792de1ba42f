"""The F1 that both sides are given."""

import pytest

from benchmarks.tasks.evaluation import chunk_f1

GOLD = [["B-NP", "I-NP", "O"], ["B-VP"]]


def test_evaluation_of_the_gold_is_all_right():
    assert chunk_f1(GOLD, [[(0, 2, "NP")], [(0, 1, "VP")]]) == 100


@pytest.mark.parametrize("found", [[(0, 1, "NP")], [(0, 2, "VP")], [(1, 2, "NP")]])
def test_evaluation_wants_type_and_borders(found):
    assert chunk_f1(GOLD[:1], [found]) == 0


def test_evaluation_balances_precision_and_recall():
    assert chunk_f1(GOLD, [[(0, 2, "NP")], []]) == pytest.approx(200 / 3)


def test_evaluation_without_any_chunk_is_zero():
    assert chunk_f1([["O"]], [[]]) == 0
