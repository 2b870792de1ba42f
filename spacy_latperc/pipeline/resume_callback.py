"""Training that goes on from a trained pipeline."""

from collections.abc import Callable

from spacy.language import Language

from .learner_pipe import LearnerPipe
from .saved import FITTED


def make_resume(labels: dict[str, list[str]]) -> Callable[[Language], None]:
    """Registered as spacy_latperc.Resume.v1, for [initialize] after_init: give sourced
    components new labels, and take away what was fitted to their weights.

    Args:
        labels: The new labels of each component.
    """

    def after_init(nlp: Language) -> None:
        for name, pipe in nlp.components:
            if isinstance(pipe, LearnerPipe) and name in labels:
                for key in FITTED:
                    pipe.cfg.pop(key, None)
                for label in labels[name]:
                    pipe.add_label(label)

    return after_init
