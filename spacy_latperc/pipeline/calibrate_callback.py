"""Calibration at the end of training, or rather whenever the pipeline is saved."""

import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.training import Example

from ..data.configured import configured_examples
from ..errors import Errors, Warnings
from ..errors.check import check_count, check_number
from ..io.pipelines import saved_whole
from ..learners.serialization.cutting import BITS, EXACT, FEWEST_BITS
from ..model import set_precision
from .calibrator import (
    NothingPredictedError,
    calibrate,
    can_be_calibrated,
    choose_calibrated,
    fit_recall,
)
from .learner_pipe import LearnerPipe
from .recall import KEY, has_recall_constant

Reader = Callable[[Language], Iterable[Example]]


def make_calibrate(
    corpus: str | Reader | None = None,
    component: str | None = None,
    probabilities: bool = True,
    recall_constant: bool = False,
    bits: int = EXACT,
    cut: float = 0.0,
) -> Callable[[Language], Language]:
    """Registered as spacy_latperc.Calibrate.v1, for [training] before_to_disk: what is
    saved is calibrated and compact, and saved in one step.

    Args:
        corpus: Held-out examples: a corpus of the config ("corpora.dev"; the default is
            the development corpus), a file that is read like it, or a reader block.
        component: Which one to calibrate. By default the only one that can be, or the
            only one of several that is not frozen.
        probabilities: Calibrate probabilities, and switch them on.
        recall_constant: Fit the recall constant of the best F. Scores during training
            are without it. If there is no development corpus, there is none.
        bits: The bits of each saved weight, of all components: 16 hardly ever change a
            decision. Training goes on with exact weights.
        cut: The share of the weights to leave out, those nearest to 0, if bits are
            fewer than 32.
    """
    if bits != EXACT:
        check_count("bits", bits, low=FEWEST_BITS, high=BITS)
    check_number("cut", cut, high=0.99)
    held_out: list[tuple[Language, list[Example]]] = []  # read once a training

    def before_to_disk(nlp: Language) -> Language:
        name = _chosen(nlp, component, probabilities)
        is_first = not held_out or held_out[0][0] is not nlp
        if is_first:
            held_out[:] = [(nlp, list(_read(nlp, corpus, recall_constant)))]
        examples = held_out[0][1]
        pipe: Any = nlp.get_pipe(name)
        if recall_constant:
            pipe.cfg[KEY] = 0.0
            pipe.fitted_in_training = (KEY,)
        if probabilities:
            with warnings.catch_warnings():
                if not is_first:  # the warning was given when it was saved before
                    warnings.filterwarnings("ignore", r"\[LP915\]")
                try:
                    calibrate(nlp, name, examples)
                except NothingPredictedError as error:  # little data: save it anyway
                    warnings.warn(str(error), stacklevel=2)
        elif fit_recall(nlp, name, examples) is None:
            del pipe.cfg[KEY]
            warnings.warn(Warnings.LP916.format(name=name), stacklevel=2)
        for _, each in nlp.pipeline:
            if isinstance(each, LearnerPipe):
                set_precision(each.model, bits, cut)
        return saved_whole(nlp)

    return before_to_disk


def _read(
    nlp: Language, corpus: str | Reader | None, recall_constant: bool
) -> Iterable[Example]:
    """Read the held-out examples; none if there is no development corpus, which the
    recall constant can do without."""
    if callable(corpus):
        return corpus(nlp)
    config = nlp.config.interpolate()
    section, _, key = config["training"]["dev_corpus"].partition(".")
    path = config.get(section, {}).get(key, {}).get("path", "")
    if recall_constant and corpus is None and not (path and Path(path).exists()):
        return []
    return configured_examples(nlp, corpus)


def _chosen(nlp: Language, name: str | None, probabilities: bool) -> str:
    """The component with this name, or the only one that this training changes."""
    fits = can_be_calibrated if probabilities else has_recall_constant
    known = [found for found, pipe in nlp.pipeline if fits(pipe)]
    if name is None and len(known) > 1:
        frozen = nlp.config["training"]["frozen_components"]
        trained = [found for found in known if found not in frozen]
        if len(trained) != 1:
            raise ValueError(Errors.LP476.format(known=", ".join(trained or known)))
        return trained[0]
    return choose_calibrated(nlp, name, fits)
