"""Smaller pipelines: weights of 16 bits or fewer, the smallest ones left out, the rest
coded tightly, and what that changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spacy.language import Language
from spacy.training import Example

from .errors.check import check_count, check_number
from .learners.serialization.cutting import (
    BITS,
    FEWEST_BITS,
    cut_weights,
    tightened,
)
from .pipeline.learner_pipe import LearnerPipe

# Tried in this order when a size is given.
SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True)
class Compacted:
    """The result of compacting one component.

    changed: decisions that are others now, of as many as `tokens` (or sentences).
    before, after: bytes of the model.
    """

    name: str
    tokens: int
    changed: int
    before: int
    after: int


@dataclass(frozen=True)
class CompactReport:
    """The loss of a compacted pipeline.

    cut: the share of the weights that were left out.
    before, after: scores on the examples.
    """

    components: list[Compacted]
    cut: float
    before: dict[str, Any]
    after: dict[str, Any]


def compact(
    nlp: Language,
    examples: Sequence[Example],
    *,
    cut: float = 0.0,
    max_mb: float | None = None,
    bits: int = BITS,
) -> CompactReport:
    """Round the weights of all our components, in place, and leave the smallest out.

    Args:
        nlp: The pipeline.
        examples: Held-out ones: they say what changed.
        cut: The share of the weights to leave out, those nearest to 0.
        max_mb: Instead, leave out as few tenths as make the models together take so
            many megabytes, or nine.
        bits: Of each weight: 16 hardly ever change a decision, 12 few.
    """
    check_number("cut", cut, high=0.99)
    check_count("bits", bits, low=FEWEST_BITS, high=BITS)
    components = [(name, p) for name, p in nlp.pipeline if isinstance(p, LearnerPipe)]
    docs = [example.predicted.copy() for example in examples]
    before = nlp.evaluate(_copies(examples))
    exact = {name: p.learner.to_bytes() for name, p in components}
    rounded = {name: p.learner.to_bytes(bits=bits) for name, p in components}
    decisions = {name: p.decisions(docs) for name, p in components}

    if max_mb is not None:
        check_number("max_mb", max_mb)
        for cut in SHARES:
            files = [tightened(cut_weights(data, cut)) for data in rounded.values()]
            if sum(map(len, files)) <= max_mb * 1e6:
                break
    for name, component in components:
        data = tightened(cut_weights(rounded[name], cut))
        component.model.shims[0].from_bytes(data)
    after = nlp.evaluate(_copies(examples))
    report = [
        Compacted(
            name,
            len(decisions[name]),
            int((component.decisions(docs) != decisions[name]).sum()),
            len(exact[name]),
            len(component.learner.to_bytes()),
        )
        for name, component in components
    ]
    return CompactReport(report, cut, before, after)


def _copies(examples: Sequence[Example]) -> list[Example]:
    """Evaluation annotates the predicted side: each needs its own."""
    return [
        Example(example.predicted.copy(), example.reference) for example in examples
    ]
