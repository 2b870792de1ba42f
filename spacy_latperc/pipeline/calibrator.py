"""Fits the probabilities of a component to what held-out data says."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.training import Example
from spacy.util import minibatch

from ..calibration import (
    BINS,
    Bin,
    Calibration,
    Cut,
    expected_calibration_error,
    fit_curve,
    fit_temperature,
    log_loss,
    reliability,
    threshold_table,
)
from ..errors import Errors, Warnings
from ..io.pipelines import choose_component
from ..pooling import Pool
from .chain_pipe import ChainPipe, Compared
from .extensions import register_extensions
from .spans import SpanCoder

PROBABILITIES = "marginal"  # the kind of scores that calibration is for
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

    Attributes:
        component: The name of the component.
        calibration: What was found.
        answers: How many spans or tagged tokens are known to be right or wrong.
        right: How many of them are right.
        gold: How many right ones there are to be found.
        before: How good the model's own probabilities are.
        after: How good they are with the calibration.
        thresholds: Precision and recall afterwards.
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
        """All figures, as plain values."""
        return {**asdict(self), "bins": BINS}


class HeldOut:
    """The answers of a component on held-out examples, in the order of the pipeline:
    components before it annotate first."""

    def __init__(self, nlp: Language, name: str, examples: Iterable[Example]):
        pipe = nlp.get_pipe(name)
        assert isinstance(pipe, ChainPipe)
        self.name = name
        self.pipe = pipe
        before = nlp.pipeline[: nlp.pipe_names.index(name)]
        self.parts: list[Compared] = [
            pipe.compare(_annotated(batch, before))
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

    def fit(self) -> Calibration:
        """The temperature under which the annotation is most probable, and then the
        curve under which the answers' probabilities say best which of them are right.

        The temperature is that of whole sequences, so that it serves n best and
        log_probability as well. Answers are chosen for being the best, which makes them
        look better than they are, and the curve makes up for it. A temperature fitted
        to the answers alone left half as much error again, and twice as much
        (CoNLL-2002, Spanish), and with the curve on top of it was no better.
        """
        temperature = fit_temperature(self.sequence_loss)
        curve = fit_curve(self.probabilities(temperature), self.correct)
        return Calibration(temperature, *curve)

    def _known(self, values: Sequence[NDArray]) -> NDArray:
        chosen = [x[part.known] for x, part in zip(values, self.parts, strict=True)]
        return np.concatenate([np.zeros(0, dtype=bool), *chosen])


@runtime_checkable
class HeldOutAnswers(Protocol):
    """What a component says of held-out examples: `correct` tells which answers are
    right, `gold` how many there are to be found."""

    name: str
    pipe: Any
    gold: int

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each answer is right."""
        ...

    def probabilities(self, temperature: float) -> NDArray[np.float64]:
        """Of the answers, before any curve."""
        ...

    def fit(self) -> Calibration:
        """The calibration that fits the answers best."""
        ...


def can_be_calibrated(pipe: Any) -> bool:
    """Whether a component has probabilities to calibrate: it is confident, or makes its
    held-out answers itself."""
    return isinstance(pipe, ChainPipe) or hasattr(pipe, "hold_out")


def hold_out(nlp: Language, name: str, examples: Iterable[Example]) -> HeldOutAnswers:
    """What a component says of held-out examples."""
    pipe: Any = nlp.get_pipe(name)
    if isinstance(pipe, ChainPipe):
        return HeldOut(nlp, name, examples)
    before = nlp.pipeline[: nlp.pipe_names.index(name)]
    return pipe.hold_out(_annotated(x, before) for x in minibatch(examples, _AT_ONCE))


def fit_calibration(held_out: HeldOutAnswers) -> Calibration:
    """The calibration that fits held-out answers best; a warning where they are few."""
    correct = held_out.correct
    right = int(correct.sum())
    if min(right, len(correct) - right) < _FEW:
        warnings.warn(
            Warnings.LP915.format(name=held_out.name, n=len(correct), right=right),
            stacklevel=2,
        )
    return held_out.fit()


def measure(held_out: HeldOutAnswers, calibration: Calibration) -> Report:
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


def fit_parts(nlp: Language, name: str, examples: Iterable[Example]) -> None:
    """Fit what each part of a component is worth, where its answers are made of
    several, to examples that it was not trained on. It changes what is answered."""
    pipe = nlp.get_pipe(name)
    if hasattr(pipe, "fit_evidence"):
        before = nlp.pipeline[: nlp.pipe_names.index(name)]
        pipe.fit_evidence(_annotated(x, before) for x in minibatch(examples, _AT_ONCE))
    else:
        fit_pool(nlp, name, examples)


def fit_pool(nlp: Language, name: str, examples: Iterable[Example]) -> Pool | None:
    """Fit what each chain of a component is worth, where their probabilities are
    pooled, to examples that it was not trained on. It changes what is answered.

    Returns:
        What was found; None where nothing is pooled.
    """
    pipe = nlp.get_pipe(name)
    coder = getattr(pipe, "coder", None)
    if not isinstance(coder, SpanCoder) or not coder.pools:
        return None
    assert isinstance(pipe, ChainPipe)
    before = nlp.pipeline[: nlp.pipe_names.index(name)]
    held_out = []
    for some in minibatch(examples, _AT_ONCE):
        known = pipe.known(_annotated(some, before))
        batch, gold = pipe.gold_of(known)
        if len(gold):
            held_out.append(([example.predicted for example in known], batch, gold))
    if not held_out:
        raise ValueError(Errors.LP080.format(name=name))
    return coder.fit_pool(held_out)


def calibrate(nlp: Language, name: str, examples: Iterable[Example]) -> Report:
    """Calibrate a component in place, on examples that it was not trained on. Where
    probabilities are pooled or evidence is joined, what each part is worth is fitted
    first. A component that gives no scores gives its probabilities afterwards."""
    examples = list(examples)
    fit_parts(nlp, name, examples)
    held_out = hold_out(nlp, name, examples)
    held_out.pipe.calibration = fit_calibration(held_out)
    switch_scores_on(nlp, name)
    return measure(held_out, held_out.pipe.calibration)


def switch_scores_on(nlp: Language, name: str) -> bool:
    """Let a calibrated component give its probabilities, where it gives no scores.

    Returns:
        Whether `scores` has changed, in the component and in the pipeline's config.
    """
    pipe: Any = nlp.get_pipe(name)
    settings = nlp.get_pipe_config(name)
    kinds = pipe.coder.score_kinds if isinstance(pipe, ChainPipe) else (PROBABILITIES,)
    if settings.get("scores") != "none" or PROBABILITIES not in kinds:
        return False
    settings["scores"] = pipe.scores = PROBABILITIES
    register_extensions()
    return True


def choose_calibrated(nlp: Language, name: str | None) -> str:
    """The component with this name, or the only one that can be calibrated."""
    chosen, known = choose_component(nlp, name, can_be_calibrated)
    if chosen is None:
        several = name is None and known != "none"
        message = Errors.LP082 if several else Errors.LP081
        raise ValueError(message.format(name=name or "", known=known))
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
