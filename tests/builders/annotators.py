"""A pipeline with many kinds of annotation, which fails on one text."""

from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc

from builders.pipelines import FACTORIES, TEXTS, make_trained
from spacy_latperc.api import ArrowAnnotator

__all__ = ["POISON", "TEXTS", "PoisonedAnnotator", "make_annotated", "save_annotated"]
POISON = "poison"


@Language.component("latperc_test_poison")
def poisoned(doc: Doc) -> Doc:
    if POISON in doc.text:
        raise RuntimeError(POISON)
    return doc


class PoisonedAnnotator(ArrowAnnotator):
    """A class that names the failing component when it is loaded."""


def make_annotated() -> Language:
    nlp = make_trained(*FACTORIES, scores="marginal")
    nlp.add_pipe("latperc_test_poison", first=True)
    return nlp


def save_annotated(folder: Path) -> Path:
    make_annotated().to_disk(folder)
    return folder
