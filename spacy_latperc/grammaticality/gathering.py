"""Evidence that latperc_errors left on Docs, for latperc_grammaticality behind it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc

from ..errors import Errors
from ..pipeline.docs import describe
from .classifier.removal import Costs
from .evidence import CLASSES, CONTEXTS, ERRORS, NGRAM, Bounds, Floats, columns_of
from .token_errors import EVIDENCE, TOKENS

SURE = 1 - 1e-6  # the highest probability of a word to be wrong
_BREAK = 10.0  # what a right word costs within a span of wrong ones
_DETECTOR = "Put latperc_errors before it, whose spans_key is '{key}'"
_ADVICE = {
    ERRORS: f"{_DETECTOR}.",
    NGRAM: f"{_DETECTOR} and which has a source spacy_latperc.NgramEvidence.v1; or "
    "give this component one.",
    CLASSES: f"{_DETECTOR} and which has a source spacy_latperc.ClassNgramEvidence.v1; "
    "or give this component one.",
    CONTEXTS: f"{_DETECTOR} and which has a source spacy_latperc.ContextEvidence.v1; "
    "or give this component one.",
}


@dataclass(frozen=True)
class Gathering:
    """What is gathered of the sentences of Docs.

    Attributes:
        name: Of the component that asks, for messages.
        kinds: Of evidence.
        key: Where in doc.spans latperc_errors wrote.
    """

    name: str
    kinds: Sequence[str]
    key: str

    def table(
        self, docs: Sequence[Doc], per_doc: Sequence[int], own: Mapping[str, Floats]
    ) -> Floats:
        """All that is known of the sentences, [sentences, columns]."""
        wanted = [kind for kind in self.kinds if kind not in own]
        written = self._written(docs, per_doc, wanted) if wanted else {}
        tables = {**own, **written}
        return np.concatenate([tables[kind] for kind in self.kinds], axis=1)

    def _written(
        self, docs: Sequence[Doc], per_doc: Sequence[int], kinds: Sequence[str]
    ) -> dict[str, Floats]:
        widths = {kind: len(columns_of(kind)) for kind in kinds}
        parts: dict[str, list[NDArray]] = {
            kind: [np.zeros((0, width))] for kind, width in widths.items()
        }
        for doc, sentences in zip(docs, per_doc, strict=True):
            if not sentences:
                continue
            evidence = self._attrs(doc).get(EVIDENCE)
            for kind, width in widths.items():
                table = evidence.get(kind) if isinstance(evidence, Mapping) else None
                if not _is_table(table, (sentences, width)):
                    message = Errors.LP782.format(
                        name=self.name,
                        kind=kind,
                        doc=describe(doc),
                        advice=_ADVICE[kind].format(key=self.key),
                    )
                    raise ValueError(message)
                parts[kind].append(table)
        # The first, which is empty, makes floats of 64 bits of them.
        return {kind: np.concatenate(tables) for kind, tables in parts.items()}

    def wrong(self, docs: Sequence[Doc]) -> Floats:
        """How probable each token is to be wrong; 0 where nothing is known."""
        parts = [np.zeros(0)]
        for doc in docs:
            found = self._attrs(doc).get(TOKENS)
            parts.append(found if _is_table(found, (len(doc),)) else np.zeros(len(doc)))
        return np.concatenate(parts)

    def _attrs(self, doc: Doc) -> Mapping[str, Any]:
        group = doc.spans.data.get(self.key)
        return {} if group is None else group.attrs


def _is_table(found: object, shape: tuple[int, ...]) -> TypeGuard[Floats]:
    """True for an array of finite numbers of a shape. Anyone may have written it."""
    return (
        isinstance(found, np.ndarray)
        and found.shape == shape
        and found.dtype.kind in "fiu"
        and bool(np.isfinite(found).all())
    )


def costs_of_errors(
    wrong: Floats, bounds: Bounds, sentences: NDArray[np.int64], longest: int
) -> dict[int, Costs]:
    """What the spans of sentences cost (`removal.worst_spans`): how far their tokens
    are above half of the worst.

    Args:
        wrong: How probable each token is to be wrong.
        bounds: The first token of each sentence, and the end.
        sentences: The numbers of those that are asked about.
        longest: How many tokens a span has, at most.
    """
    costs: dict[int, Costs] = {}
    for s in sentences.tolist():
        here = wrong[bounds[s] : bounds[s + 1]]
        above = here - here.max(initial=0.0) / 2
        above[above <= 0] = -_BREAK
        table: Costs = np.full((len(here), longest), -1.0, dtype=np.float32)
        for n in range(min(longest, len(here))):
            first = np.arange(len(here) - n)
            table[first, n] = sum(above[first + k] for k in range(n + 1))
        costs[s] = table
    return costs
