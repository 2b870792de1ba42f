"""Pipelines with 16-bit weights, and what the rounding changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spacy.language import Language
from spacy.training import Example

from .model import set_learner
from .pipeline.base import LearnerPipe


@dataclass(frozen=True)
class Compacted:
    """What rounding the weights of one component did.

    changed: decisions that are others now, of as many as `tokens` (or sentences).
    before, after: bytes of the model.
    """

    name: str
    tokens: int
    changed: int
    before: int
    after: int


def compact(
    nlp: Language, examples: Sequence[Example]
) -> tuple[list[Compacted], dict[str, Any], dict[str, Any]]:
    """Round the weights of all our components to 16 bits, in place.

    Returns:
        What changed in each component, and the scores of the pipeline on the examples
        before and after.
    """
    components = [(name, p) for name, p in nlp.pipeline if isinstance(p, LearnerPipe)]
    docs = [example.predicted.copy() for example in examples]
    before = nlp.evaluate(_copies(examples))
    report = []
    for name, component in components:
        exact = component.learner.to_bytes()
        decisions = component.decisions(docs)
        rounded = component.learner.to_bytes(bits=16)
        learner = component.learner.blank()
        learner.from_bytes(rounded)
        # Not into the old one: what the component keeps of it means nothing then.
        set_learner(component.model, learner)
        changed = int((component.decisions(docs) != decisions).sum())
        sizes = len(exact), len(rounded)
        report.append(Compacted(name, len(decisions), changed, *sizes))
    return report, before, nlp.evaluate(_copies(examples))


def _copies(examples: Sequence[Example]) -> list[Example]:
    """Evaluation annotates the predicted side: each needs its own."""
    return [
        Example(example.predicted.copy(), example.reference) for example in examples
    ]
