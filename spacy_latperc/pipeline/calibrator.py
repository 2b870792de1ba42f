"""Calibration of the probabilities of a component on held-out data."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

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
from .chain_pipe import ChainPipe, Compared
from .extensions import register_extensions
from .recall import KEY, RecallFit, fit_recall_constant

PROBABILITIES = "marginal"  # the kind of scores that calibration is for
_AT_ONCE = 256
_FEW = 20  # right answers, and wrong ones


@dataclass(frozen=True)
class Quality:
    """The quality of probabilities: expected calibration error, mean log loss, and the
    bins of the former."""

    ece: float
    log_loss: float
    reliability: list[Bin]


@dataclass(frozen=True)
class Report:
    """A report on the calibration of a component.

    Attributes:
        component: The name of the component.
        calibration: The fitted calibration.
        answers: The number of answers (spans or tags) on annotated tokens.
        right: The number of correct ones.
        gold: The number of gold answers.
        before: The quality of the model's own probabilities.
        after: The quality of the calibrated ones.
        thresholds: Precision and recall of thresholds on the latter.
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
        """Return all figures as plain values."""
        return {**asdict(self), "bins": BINS}


class NothingPredictedError(ValueError):
    """Raised where there is nothing to calibrate on."""


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
            raise NothingPredictedError(Errors.LP080.format(name=name))

    def probabilities(self, temperature: float) -> NDArray[np.float64]:
        """Return the probabilities of the answers on annotated tokens."""
        parts = [self.pipe.probabilities(part, temperature) for part in self.parts]
        return self._known(parts)

    def sequence_loss(self, temperature: float) -> float:
        """Return the mean negative log probability of the gold labels of a sentence."""
        scores = np.concatenate(
            [self.pipe.gold_scores(part, temperature) for part in self.parts]
        )
        return -float(scores.mean()) if len(scores) else 0.0

    def fit(self) -> Calibration:
        """Fit the temperature to the gold labels of sentences, and then a curve to the
        correctness of answers.

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


def can_be_calibrated(pipe: Any) -> bool:
    """Return True if a component has probabilities that can be calibrated."""
    return isinstance(pipe, ChainPipe) or hasattr(pipe, "hold_out")


def hold_out(nlp: Language, name: str, examples: Iterable[Example]) -> Any:
    """Return the answers of a component on held-out examples, which can fit and
    measure a calibration as `HeldOut` does."""
    pipe: Any = nlp.get_pipe(name)
    if isinstance(pipe, ChainPipe):
        return HeldOut(nlp, name, examples)
    before = nlp.pipeline[: nlp.pipe_names.index(name)]
    return pipe.hold_out(_annotated(x, before) for x in minibatch(examples, _AT_ONCE))


def fit_calibration(held_out: Any) -> Calibration:
    """Fit a calibration to held-out answers; warn if there are too few."""
    correct = held_out.correct
    right = int(correct.sum())
    if min(right, len(correct) - right) < _FEW:
        warnings.warn(
            Warnings.LP915.format(name=held_out.name, n=len(correct), right=right),
            stacklevel=2,
        )
    return held_out.fit()


def measure(held_out: Any, calibration: Calibration) -> Report:
    """Measure the probabilities on held-out answers, before and after calibration."""
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


def fit_recall(
    nlp: Language, name: str, examples: Iterable[Example], **wanted: float | None
) -> RecallFit | None:
    """Fit the recall constant of a component and set it: see `fit_recall_constant`.
    Components before it annotate the examples first."""
    before = nlp.pipeline[: nlp.pipe_names.index(name)]
    annotated = (_annotated(some, before) for some in minibatch(examples, _AT_ONCE))
    return fit_recall_constant(nlp.get_pipe(name), annotated, **wanted)


def calibrate(nlp: Language, name: str, examples: Iterable[Example]) -> Report:
    """Calibrate a component in place, on examples that it was not trained on. The
    recall constant is fitted first if there is one. A component that gives no scores
    gives its probabilities afterwards."""
    examples = list(examples)
    if KEY in nlp.get_pipe(name).cfg:
        fit_recall(nlp, name, examples)
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


def choose_calibrated(
    nlp: Language, name: str | None, fits: Callable[[Any], bool] = can_be_calibrated
) -> str:
    """Return the name of the component, or of the only one that can be calibrated."""
    chosen, known = choose_component(nlp, name, fits)
    if chosen is None:
        which = (
            "a component without its name" if name is None else f"component '{name}'"
        )
        raise ValueError(Errors.LP081.format(which=which, known=known))
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
    """Return the examples, annotated by the components before this one."""
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
