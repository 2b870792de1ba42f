"""Scores of categories: accuracy, area under the curve, and by length."""

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example

from spacy_latperc.grammaticality.scorer import (
    area_under_curve,
    grammaticality_score,
    truth,
)

NLP = spacy.blank("xx")
SCORED = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.booleans()), max_size=12
)


@given(SCORED)
def test_scorers_area_under_curve_counts_pairs(rows):
    pairs = [
        1.0 if a > b else 0.5 if a == b else 0.0
        for a, real in rows
        for b, other in rows
        if real and not other
    ]
    scores = np.array([score for score, _ in rows])
    found = area_under_curve(scores, np.array([real for _, real in rows], dtype=bool))
    assert found == (pytest.approx(sum(pairs) / len(pairs)) if pairs else None)


def sentence(n: int, real: bool | None, score: float) -> Example:
    predicted, reference = (Doc(NLP.vocab, words=["x"] * n) for _ in "pr")
    predicted.cats = {"GRAMMATICAL": score, "UNGRAMMATICAL": 1 - score}
    if real is not None:
        reference.cats = {"GRAMMATICAL": float(real), "UNGRAMMATICAL": 1.0 - real}
    return Example(predicted, reference)


def test_scorers_grammaticality_of_a_worked_case():
    rows = [(5, True, 0.9), (5, True, 0.4), (5, False, 0.6), (15, False, 0.1)]
    examples = [sentence(*row) for row in rows]
    scores = grammaticality_score([*examples, sentence(5, None, 0.9)])
    # Of the negatives, one of two is found, and one of the two found is one.
    per_length = scores.pop("grammaticality_per_length")
    assert scores.pop("grammaticality_auc") == 0.75
    assert scores == {f"grammaticality_{name}": 0.5 for name in ("acc", "p", "r", "f")}
    docs = {name: part["docs"] for name, part in per_length.items()}
    assert docs == {"1-10": 3, "11-20": 1}
    assert per_length["11-20"]["acc"] == 1
    assert per_length["11-20"]["auc"] is None


def test_scorers_grammaticality_at_another_threshold():
    examples = [sentence(3, True, 0.4), sentence(3, False, 0.3)]
    scores = grammaticality_score(examples, threshold=0.35)
    assert scores["grammaticality_acc"] == 1
    scores = grammaticality_score([sentence(3, None, 0.4)])
    assert set(scores.values()) == {None}


def test_scorers_truth_of_categories():
    for a, b, real in (
        *((None, None, None), (1.0, None, True), (0.0, None, False), (0.0, 0.0, None)),
        *((None, 1.0, False), (None, 0.0, True), (1.0, 0.0, True), (0.0, 1.0, False)),
    ):
        cats = {"C": 1.0, "GRAMMATICAL": a, "UNGRAMMATICAL": b}
        known = {name: x for name, x in cats.items() if x is not None}
        assert truth(known) is real
    assert truth({}) is None
