"""The scorer of wrong tokens in doc.spans."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example

from ..grammaticality.scorer import area_under_curve

Scores = dict[str, Any]


def error_score(
    examples: Iterable[Example], *, spans_key: str = "errors", **kwargs: Any
) -> Scores:
    """Scores of tokens, wrong or right, whatever the kind of the error.

    They are precision (`errors_p`), recall (`_r`), F0.5, for which precision counts
    twice (`_f05`), and the area under the curve of the probabilities (`_auc`). Docs
    whose reference has no such spans at all are left out.
    """
    real, found, sure = [], [], []
    for example in examples:
        if spans_key not in example.reference.spans:
            continue
        wrong = wrong_tokens(example.reference, spans_key)
        predicted = example.predicted
        # Errors of several tokens that are one in the prediction are errors of that.
        parts = example.alignment.x2y
        real += [bool(wrong[parts[n].ravel()].any()) for n in range(len(predicted))]
        found += wrong_tokens(predicted, spans_key).tolist()
        sure += _probabilities(predicted, spans_key)
    if not real:
        return {f"errors_{name}": None for name in ("p", "r", "f05", "auc")}
    truth, given = np.asarray(real), np.asarray(found)
    precision, recall, f = token_scores(truth, given)
    auc = None
    if None not in sure:
        auc = area_under_curve(np.asarray(sure, dtype=np.float64), truth)
    return {
        "errors_p": precision,
        "errors_r": recall,
        "errors_f05": f,
        "errors_auc": auc,
    }


def token_scores(
    real: NDArray[np.bool_], found: NDArray[np.bool_]
) -> tuple[float, float, float]:
    """Precision, recall and F0.5 of tokens that are said to be wrong."""
    hits = float((real & found).sum())
    precision = hits / found.sum() if found.any() else 0.0
    recall = hits / real.sum() if real.any() else 0.0
    both = precision / 4 + recall
    f = 1.25 * precision * recall / both if both else 0.0
    return float(precision), float(recall), float(f)


def wrong_tokens(doc: Doc, key: str) -> NDArray[np.bool_]:
    """Return a mask of the tokens that have an error in doc.spans."""
    wrong = np.zeros(len(doc), dtype=bool)
    for span in doc.spans[key] if key in doc.spans else ():
        wrong[span.start : span.end] = True
    return wrong


def _probabilities(doc: Doc, key: str) -> list[float | None]:
    tokens = doc.spans[key].attrs.get("tokens") if key in doc.spans else None
    if tokens is None or len(tokens) != len(doc):
        return [None] * len(doc)
    return np.asarray(tokens).tolist()
