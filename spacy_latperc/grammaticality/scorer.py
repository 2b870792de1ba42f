"""A scorer of grammaticality classifiers, by doc.cats."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.scorer import PRFScore
from spacy.training import Example

POSITIVE, NEGATIVE = "GRAMMATICAL", "UNGRAMMATICAL"
LENGTHS = (1, 11, 21, 31, 41, 1 << 60)  # where buckets of length begin

Scores = dict[str, Any]


def grammaticality_score(
    examples: Iterable[Example],
    *,
    threshold: float = 0.5,
    **kwargs: Any,
) -> Scores:
    """Score Docs that have the categories; others are left out.

    The scores are accuracy (`grammaticality_acc`), area under the curve (`_auc`),
    precision, recall and F of the negative class (`_p`, `_r`, `_f`), and all of them by
    length in tokens (`_per_length`).

    Args:
        examples: The examples; a Doc is scored as a whole.
        threshold: The lowest score for GRAMMATICAL of a Doc that counts as
            positive.
        kwargs: Ignored; spaCy passes settings of other scorers.
    """
    rows = []
    for example in examples:
        real = truth(example.reference.cats)
        cats = example.predicted.cats
        if real is not None and POSITIVE in cats:
            rows.append((len(example.predicted), real, cats[POSITIVE]))
    names = ("acc", "auc", "p", "r", "f")
    if not rows:
        none: Scores = {f"grammaticality_{name}": None for name in names}
        return {**none, "grammaticality_per_length": None}
    table = np.array(rows, dtype=np.float64)
    lengths = table[:, 0]
    scores: Scores = {
        f"grammaticality_{name}": value
        for name, value in _two_classes(table[:, 1:], threshold).items()
    }
    scores["grammaticality_per_length"] = {}
    for low, high in pairwise(LENGTHS):
        part = table[(lengths >= low) & (lengths < high), 1:]
        if len(part):
            name = f"{low}-{high - 1}" if high != LENGTHS[-1] else f"{low}+"
            found = {"docs": len(part), **_two_classes(part, threshold)}
            scores["grammaticality_per_length"][name] = found
    return scores


def truth(cats: Mapping[str, float]) -> bool | None:
    """Return True for positive, False for negative, None for neither or both."""
    if POSITIVE not in cats and NEGATIVE not in cats:
        return None
    good = cats.get(POSITIVE, 1 - cats.get(NEGATIVE, 0.0))
    bad = cats.get(NEGATIVE, 1 - good)
    return None if good == bad else good > bad


def _two_classes(table: NDArray[np.float64], threshold: float) -> dict[str, Any]:
    """Compute scores from rows of the truth (1 or 0) and the prediction."""
    real, given = table[:, 0] > 0, table[:, 1]
    positive = given >= threshold
    total = PRFScore()
    total.tp = int((~positive & ~real).sum())
    total.fp = int((~positive & real).sum())
    total.fn = int((positive & ~real).sum())
    return {
        "acc": float((positive == real).mean()),
        "auc": area_under_curve(given, real),
        "p": total.precision,
        "r": total.recall,
        "f": total.fscore,
    }


def area_under_curve(
    scores: NDArray[np.float64], real: NDArray[np.bool_]
) -> float | None:
    """Return the share of pairs in which the positive has a higher score than the
    negative, ties by half; None if there is only one class."""
    n_real = int(real.sum())
    n_other = len(real) - n_real
    if not n_real or not n_other:
        return None
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    above = float(ranks[place][real].sum()) - n_real * (n_real + 1) / 2
    return above / (n_real * n_other)
