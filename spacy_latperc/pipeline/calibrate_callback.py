"""Calibration at the end of training, or rather whenever the pipeline is saved."""

from collections.abc import Callable, Iterable

from spacy.language import Language
from spacy.training import Example

from ..data.configured import configured_examples
from ..errors import Errors
from ..io.pipelines import saved_whole
from .calibrator import calibrate, can_be_calibrated, choose_calibrated

Reader = Callable[[Language], Iterable[Example]]


def make_calibrate(
    corpus: str | Reader | None = None, component: str | None = None
) -> Callable[[Language], Language]:
    """Registered as spacy_latperc.Calibrate.v1, for [training] before_to_disk: what is
    saved is calibrated, and saved in one step.

    Args:
        corpus: Held-out examples: a corpus of the config ("corpora.dev"; the default is
            the development corpus), a file that is read like it, or a reader block.
        component: Which one to calibrate. By default the only one that can be, or the
            only one of several that is not frozen.
    """

    def before_to_disk(nlp: Language) -> Language:
        if callable(corpus):
            examples = corpus(nlp)
        else:
            examples = configured_examples(nlp, corpus)
        calibrate(nlp, _chosen(nlp, component), examples)
        return saved_whole(nlp)

    return before_to_disk


def _chosen(nlp: Language, name: str | None) -> str:
    """The component with this name, or the only one that this training changes."""
    known = [found for found, pipe in nlp.pipeline if can_be_calibrated(pipe)]
    if name is None and len(known) > 1:
        frozen = nlp.config["training"]["frozen_components"]
        trained = [found for found in known if found not in frozen]
        if len(trained) != 1:
            raise ValueError(Errors.LP476.format(known=", ".join(trained or known)))
        return trained[0]
    return choose_calibrated(nlp, name)
