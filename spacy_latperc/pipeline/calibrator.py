"""Fits the probabilities of a component to what held-out data says."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.training import Example

from ..calibration import (
    BINS,
    Bin,
    Calibration,
    Cut,
    expected_calibration_error,
    fit_curve,
    fit_line,
    fit_temperature,
    log_loss,
    reliability,
    sigmoid,
    threshold_table,
)
from ..errors import Errors, Warnings
from .base import minibatch
from .confidence import ConfidentPipe, Judged
from .grammaticality import LatpercGrammaticality

CALIBRATED = (ConfidentPipe, LatpercGrammaticality)
_AT_ONCE = 256
_FEW = 20  # right answers, and wrong ones


@dataclass(frozen=True)
class Quality:
    """How good probabilities are: expected calibration error, mean log loss, and the
    table behind the former."""

    ece: float
    log_loss: float
    reliability: list[Bin]


@dataclass(frozen=True)
class Report:
    """What calibration did to a component, on some data.

    answers: spans or tagged tokens that are known to be right or wrong. before: with
    the model's own probabilities. thresholds: precision and recall afterwards.
    """

    component: str
    calibration: Calibration
    answers: int
    right: int
    gold: int
    before: Quality
    after: Quality
    thresholds: list[Cut]

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "bins": BINS}


class HeldOut:
    """The answers of a component on held-out examples, in the order of the pipeline:
    components before it annotate first."""

    def __init__(self, nlp: Language, name: str, examples: Iterable[Example]):
        pipe = nlp.get_pipe(name)
        assert isinstance(pipe, ConfidentPipe)
        self.name = name
        self.pipe = pipe
        before = nlp.pipeline[: nlp.pipe_names.index(name)]
        self.parts: list[Judged] = [
            pipe.judge(_annotated(batch, before))
            for batch in minibatch(examples, _AT_ONCE)
        ]
        self.gold = sum(part.n_gold for part in self.parts)
        self.correct = self._known([part.correct for part in self.parts])
        if not len(self.correct):
            raise ValueError(Errors.LP080.format(name=name))

    def probabilities(self, temperature: float) -> NDArray[np.float64]:
        """Of the answers that are known to be right or wrong."""
        parts = [self.pipe.probabilities(part, temperature) for part in self.parts]
        return self._known(parts)

    def sequence_loss(self, temperature: float) -> float:
        """Mean negative log probability of the annotation of a sentence."""
        scores = np.concatenate(
            [self.pipe.gold_scores(part, temperature) for part in self.parts]
        )
        return -float(scores.mean()) if len(scores) else 0.0

    def _known(self, values: Sequence[NDArray]) -> NDArray:
        chosen = [x[part.known] for x, part in zip(values, self.parts, strict=True)]
        return np.concatenate([np.zeros(0, dtype=bool), *chosen])


class HeldOutSentences:
    """Held-out sentences and their margins: an answer is that one is grammatical."""

    def __init__(self, nlp: Language, name: str, examples: Iterable[Example]):
        pipe = nlp.get_pipe(name)
        assert isinstance(pipe, LatpercGrammaticality)
        self.name = name
        self.pipe = pipe
        before = nlp.pipeline[: nlp.pipe_names.index(name)]
        judged = [
            pipe.judge(_annotated(batch, before))
            for batch in minibatch(examples, _AT_ONCE)
        ]
        self.margins = np.concatenate([np.zeros(0), *(m for m, _ in judged)])
        self.correct = np.concatenate([np.zeros(0, bool), *(x for _, x in judged)])
        self.gold = int(self.correct.sum())
        if not 0 < self.gold < len(self.correct):
            message = Errors.LP461.format(
                name=name, n=len(self.correct), positives=self.gold
            )
            raise ValueError(message)

    def probabilities(self, temperature: float) -> NDArray[np.float64]:
        """Of the sentences, without a bias."""
        return sigmoid(self.margins / temperature)


def hold_out(
    nlp: Language, name: str, examples: Iterable[Example]
) -> HeldOut | HeldOutSentences:
    """What a component says of held-out examples."""
    if isinstance(nlp.get_pipe(name), LatpercGrammaticality):
        return HeldOutSentences(nlp, name, examples)
    return HeldOut(nlp, name, examples)


def fit_calibration(held_out: HeldOut | HeldOutSentences) -> Calibration:
    """The temperature under which the annotation is most probable, and then the curve
    under which the answers' probabilities say best which of them are right.

    The temperature is that of whole sequences, so that it serves n best and
    log_probability as well. Answers are chosen for being the best, which makes them
    look better than they are, and the curve makes up for it. A temperature fitted to
    the answers alone left half as much error again, and twice as much (CoNLL-2002,
    Spanish), and with the curve on top of it was no better.

    Margins of sentences are no log odds to begin with: they get a line.
    """
    correct = held_out.correct
    right = int(correct.sum())
    if min(right, len(correct) - right) < _FEW:
        warnings.warn(
            Warnings.LP915.format(name=held_out.name, n=len(correct), right=right),
            stacklevel=2,
        )
    if isinstance(held_out, HeldOutSentences):
        return fit_line(held_out.margins, correct)
    temperature = fit_temperature(held_out.sequence_loss)
    curve = fit_curve(held_out.probabilities(temperature), correct)
    return Calibration(temperature, *curve)


def measure(held_out: HeldOut | HeldOutSentences, calibration: Calibration) -> Report:
    """How good the probabilities are on these data, before and after."""
    correct = held_out.correct
    after = calibration(held_out.probabilities(calibration.temperature))
    return Report(
        component=held_out.name,
        calibration=calibration,
        answers=len(correct),
        right=int(correct.sum()),
        gold=held_out.gold,
        before=_quality(held_out.probabilities(1.0), correct),
        after=_quality(after, correct),
        thresholds=threshold_table(after, correct, held_out.gold),
    )


def calibrate(nlp: Language, name: str, examples: Iterable[Example]) -> Report:
    """Calibrate a component in place, on examples that it was not trained on."""
    held_out = hold_out(nlp, name, examples)
    held_out.pipe.calibration = fit_calibration(held_out)
    return measure(held_out, held_out.pipe.calibration)


def choose_component(nlp: Language, name: str | None) -> str:
    """The component with this name, or the only one that can be calibrated."""
    known = [found for found, p in nlp.pipeline if isinstance(p, CALIBRATED)]
    names = ", ".join(known) or "none"
    if name is None and len(known) > 1:
        raise ValueError(Errors.LP082.format(known=names))
    chosen = name or next(iter(known), "")
    if chosen not in known:
        raise ValueError(Errors.LP081.format(name=chosen, known=names))
    return chosen


def _quality(probabilities: NDArray[np.float64], correct: NDArray) -> Quality:
    return Quality(
        ece=expected_calibration_error(probabilities, correct),
        log_loss=log_loss(probabilities, correct),
        reliability=reliability(probabilities, correct),
    )


def _annotated(
    examples: Sequence[Example], before: Sequence[tuple[str, Callable]]
) -> list[Example]:
    """The examples as they are when the component's turn comes."""
    docs: Iterable = [example.predicted.copy() for example in examples]
    for _, pipe in before:
        docs = _piped(pipe, docs)
    return [
        Example(doc, example.reference)
        for doc, example in zip(docs, examples, strict=True)
    ]


def _piped(pipe: Any, docs: Iterable) -> Iterator:
    if hasattr(pipe, "pipe"):
        yield from pipe.pipe(docs)
    else:
        for doc in docs:
            yield pipe(doc)
