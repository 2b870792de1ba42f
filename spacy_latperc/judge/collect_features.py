"""Collects the features of sentences that latperc_errors wrote to Docs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc

from ..errors import Errors
from ..grammaticality.classifier.removal import Costs
from ..pipeline.doc_reader import describe
from .error_detector import EVIDENCE, STARTS, TOKENS
from .sentence_features import (
    CONTEXTS,
    NGRAM,
    Bounds,
    Floats,
    columns_of,
)

SURE = 1 - 1e-6  # the highest probability of a wrong token
_BREAK = 10.0  # the cost of a right token inside a span of wrong ones
_SOURCES = {
    NGRAM: "NgramEvidence",
    CONTEXTS: "ContextEvidence",
}


@dataclass(frozen=True)
class FeatureCollector:
    """Reads the features of sentences off Docs.

    Attributes:
        name: The name of the component, for messages.
        kinds: The kinds of features.
        key: The key of doc.spans that latperc_errors writes to.
    """

    name: str
    kinds: Sequence[str]
    key: str

    def sentences(
        self, docs: Sequence[Doc]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first tokens of all sentences, counted from the start of their
        Doc, and the number of sentences in each Doc."""
        starts = [self._starts(doc) for doc in docs]
        per_doc = np.array([len(own) for own in starts], dtype=np.int64)
        return np.concatenate([np.zeros(0, dtype=np.int64), *starts]), per_doc

    def table(self, docs: Sequence[Doc], per_doc: Sequence[int] | NDArray) -> Floats:
        """Return the features of all sentences, [sentences, columns]."""
        parts = {
            kind: [np.zeros((0, len(columns_of(kind))))]  # so that all are 64-bit
            for kind in self.kinds
        }
        for doc, sentences in zip(docs, per_doc, strict=True):
            if not sentences:
                continue
            written = self._attrs(doc).get(EVIDENCE)
            for kind, tables in parts.items():
                table = written.get(kind) if isinstance(written, Mapping) else None
                if not _is_table(table, (sentences, tables[0].shape[1])):
                    raise ValueError(self._missing(kind, doc))
                tables.append(table)
        return np.concatenate(
            [np.concatenate(tables) for tables in parts.values()], axis=1
        )

    def wrong(self, docs: Sequence[Doc]) -> Floats:
        """Return the probability of each token to be wrong; 0 if it is unknown."""
        parts = [np.zeros(0)]
        for doc in docs:
            found = self._attrs(doc).get(TOKENS)
            parts.append(found if _is_table(found, (len(doc),)) else np.zeros(len(doc)))
        return np.concatenate(parts)

    def _starts(self, doc: Doc) -> NDArray[np.int64]:
        if not len(doc):
            return np.zeros(0, dtype=np.int64)
        starts: Any = self._attrs(doc).get(STARTS)
        good = (
            isinstance(starts, np.ndarray)
            and starts.ndim == 1
            and starts.dtype.kind in "iu"
        )
        if good and len(starts):  # a Doc of white space has no sentence
            good = starts[0] == 0 and (np.diff(starts, append=len(doc)) > 0).all()
        if not good:
            raise ValueError(self._missing(self.kinds[0], doc))
        return starts.astype(np.int64)

    def _missing(self, kind: str, doc: Doc) -> str:
        source = (
            f" and which has a source spacy_latperc.{_SOURCES[kind]}.v1"
            if kind in _SOURCES
            else ""
        )
        advice = f"Put latperc_errors before it, whose spans_key is '{self.key}'"
        return Errors.LP782.format(
            name=self.name, kind=kind, doc=describe(doc), advice=f"{advice}{source}."
        )

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
    """Return the costs of the spans of some sentences, as `removal.worst_spans` reads
    them: the sum of how far each token is above half of the worst one.

    Args:
        wrong: The probability of each token to be wrong.
        bounds: The first token of each sentence, and the end.
        sentences: The indices of the sentences.
        longest: The largest number of tokens in a span.
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
