"""Recalibration: moves probabilities so that few good sentences of a text are rejected.

Good text of another domain looks wrong at first. Clean text of that domain shows by how
much: it needs no labels.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

from ..calibration import Calibration, log_odds
from ..errors import Errors
from ..errors.check import check_number
from ..grammaticality.sentence_pipe import SentencePipe
from ..io.pipelines import choose_component
from .error_detector import LatpercErrors
from .judge_component import LatpercJudge

_AT_ONCE = 256
_ROUNDING = 1e-6
_LEAST = 100  # judgements that a share can be taken of

Judge = SentencePipe | LatpercErrors


@dataclass(frozen=True)
class Moved:
    """The result of a recalibration.

    Attributes:
        component: The name of the component.
        judged: The judged units: "sentences" or "tokens".
        count: The number of units.
        before: The share that was rejected before.
        after: The share that is rejected now.
        calibration: The new calibration.
    """

    component: str
    judged: str
    count: int
    before: float
    after: float
    calibration: Calibration


def choose_judge(nlp: Language, name: str | None) -> str:
    """Return the name of the component that is recalibrated.

    Args:
        nlp: The pipeline.
        name: The name of the component; None for the only component that scores
            sentences, or else the only error detector.
    """
    whole = [each for each, pipe in nlp.pipeline if isinstance(pipe, SentencePipe)]
    if name is None and len(whole) == 1:
        return whole[0]
    chosen, known = choose_component(nlp, name, lambda pipe: isinstance(pipe, Judge))
    if chosen is None:
        raise ValueError(Errors.LP082.format(action="recalibrate", known=known))
    return chosen


def recalibrate(
    nlp: Language,
    name: str,
    docs: Iterable[Doc],
    share: float,
    *,
    bad_share: float | None = None,
) -> Moved:
    """Move the probabilities of a component so that of this text this share is
    rejected at its threshold: sentences, or tokens of latperc_errors.

    Args:
        nlp: The pipeline.
        name: The name of the component.
        docs: Docs that are good for the most part, not annotated yet.
        share: The share to reject, from 0 to below 1.
        bad_share: The share of bad sentences that the probabilities of latperc_judge
            assume from now on; None to keep it.
    """
    check_number("share", share, high=0.999)
    pipe = nlp.get_pipe(name)
    assert isinstance(pipe, Judge)
    if bad_share is not None:
        if not isinstance(pipe, LatpercJudge):
            raise ValueError(Errors.LP498.format(name=name))
        pipe.bad_share = bad_share
    before = nlp.pipeline[: nlp.pipe_names.index(name)]
    parts = []
    for batch in minibatch(docs, _AT_ONCE):
        for _, other in before:
            batch = [other(doc) for doc in batch]
        parts.append(_evidence(pipe, batch))
    values = np.concatenate([*parts, np.zeros(0)])
    judged = "sentences" if isinstance(pipe, SentencePipe) else "tokens"
    if len(values) < _LEAST:
        message = Errors.LP499.format(n=len(values), judged=judged, least=_LEAST)
        raise ValueError(message)
    wanted = float(log_odds(pipe.threshold))
    if isinstance(pipe, LatpercJudge):
        wanted += float(log_odds(pipe.bad_share))
    if isinstance(pipe, LatpercErrors):
        wanted = -wanted
    was = pipe.calibration
    rejected = float((values + _signed(pipe, was.bias) < wanted).mean())
    # What is just at the cut passes, however its probability is rounded.
    bias = wanted - cut(values, share) + _ROUNDING
    now = float((values + bias < wanted).mean())
    pipe.calibration = replace(was, bias=_signed(pipe, bias))
    return Moved(name, judged, len(values), rejected, now, pipe.calibration)


def cut(values: NDArray[np.float64], share: float) -> float:
    """Return a number that at most this share of some values lies below."""
    ordered = np.sort(values)
    place = int(share * len(ordered))
    below = ordered[place - 1] if place else ordered[0] - 1
    return float((below + ordered[place]) / 2)


def _evidence(pipe: Judge, docs: list[Doc]) -> NDArray[np.float64]:
    """Return the log odds of the judged units to be good, before the bias."""
    calibration = replace(pipe.calibration, bias=0.0)
    if isinstance(pipe, SentencePipe):
        return pipe.predict(docs).found.scores / calibration.temperature
    if not any(map(len, docs)):
        return np.zeros(0)
    return -calibration.curve(pipe.wrong(docs))


def _signed(pipe: Judge, bias: float) -> float:
    """Return the bias with its sign: for tokens it is that of being wrong."""
    return -bias if isinstance(pipe, LatpercErrors) else bias
