"""Recalibration: moves the threshold of a judge so that few good sentences of a text
are rejected. Good text of another domain looks wrong at first; no labels are needed.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

from ..calibration import sigmoid
from ..errors import Errors
from ..errors.check import check_number
from .filter.filter_scores import find_component
from .judge_component import LatpercJudge

_AT_ONCE = 256
_LEAST = 100  # sentences that a share can be taken of


def find_judge(nlp: Language) -> LatpercJudge:
    """Return the judge of a pipeline."""
    judge = find_component(nlp, LatpercJudge)
    assert isinstance(judge, LatpercJudge)
    return judge


def recalibrate(
    nlp: Language, docs: Iterable[Doc], share: float
) -> tuple[int, float, float]:
    """Move the threshold of a judge so that it rejects this share of a text.

    Args:
        nlp: The pipeline.
        docs: Docs that are good for the most part, not annotated yet.
        share: The share of sentences to reject, from 0 to below 1.

    Returns:
        The number of sentences, and the shares that were rejected before and are now.
    """
    check_number("share", share, high=0.999)
    judge = find_judge(nlp)
    before = nlp.pipeline[: nlp.pipe_names.index(judge.name)]
    parts = [np.zeros(0)]
    for batch in minibatch(docs, _AT_ONCE):
        for _, other in before:
            batch = [other(doc) for doc in batch]
        parts.append(judge.predict(batch).found.scores)
    scores = np.concatenate(parts)
    if len(scores) < _LEAST:
        raise ValueError(Errors.LP499.format(n=len(scores), least=_LEAST))
    was = float((~judge.accepted(scores)).mean())
    judge.threshold = float(sigmoid(np.array(cut(judge.log_odds(scores), share))))
    return len(scores), was, float((~judge.accepted(scores)).mean())


def cut(values: NDArray[np.float64], share: float) -> float:
    """Return a number that at most this share of some values lies below."""
    ordered = np.sort(values)
    place = int(share * len(ordered))
    below = ordered[place - 1] if place else ordered[0] - 1
    return float((below + ordered[place]) / 2)
