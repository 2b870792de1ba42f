"""Calibration at the end of training, or rather whenever the pipeline is saved."""

from collections.abc import Callable, Iterable

from spacy.language import Language
from spacy.training import Example

from ..data.configured import block_examples, corpus_block
from ..io.pipelines import saved_whole
from .calibrator import calibrate, choose_component

Reader = Callable[[Language], Iterable[Example]]


def make_calibrate(
    corpus: str | Reader | None = None, component: str | None = None
) -> Callable[[Language], Language]:
    """Registered as spacy_latperc.Calibrate.v1, for [training] before_to_disk: what is
    saved is calibrated, and saved in one step.

    corpus: held-out examples: a corpus of the config ("corpora.dev", the default is
        the development corpus), a file that is read like it, or a reader block.
    component: which one, when there are several that can be calibrated.
    """

    def before_to_disk(nlp: Language) -> Language:
        if callable(corpus):
            examples = corpus(nlp)
        else:
            block = corpus_block(nlp.config.interpolate(), corpus)
            examples = block_examples(nlp, block)
        calibrate(nlp, choose_component(nlp, component), examples)
        return saved_whole(nlp)

    return before_to_disk
