"""Heads and relations that were set before the parser runs, and stay."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from spacy.strings import StringStore
from spacy.tokens import Doc

from ..errors import Errors
from ..learners.base import Batch
from .trees import columns_of, token_error
from .words import UNKNOWN, Known


class Kept:
    """Heads and relations that are already set on Docs.

    Args:
        docs: The Docs.
        batch: The batch of the Docs.
        name: The name of the component, for messages.
        heads: The heads as positions in the batch, UNKNOWN if not set.
        relations: The hashes of the relations.
    """

    def __init__(
        self,
        docs: Sequence[Doc],
        batch: Batch,
        name: str,
        heads: NDArray[np.int64],
        relations: NDArray[np.uint64],
    ):
        self.docs = docs
        self.batch = batch
        self.name = name
        self.heads = heads
        self.relations = relations

    @classmethod
    def find(cls, docs: Sequence[Doc], batch: Batch, name: str) -> "Kept | None":
        """Read the arcs that are set on Docs; return None if there are none."""
        if not any(doc.has_annotation("DEP") for doc in docs):
            return None
        heads, relations = zip(*map(columns_of, docs), strict=True)
        lengths = np.diff(batch.docs)
        at = np.concatenate(heads)
        at[at >= 0] += np.repeat(batch.docs[:-1], lengths)[at >= 0]
        return cls(docs, batch, name, at, np.concatenate(relations))

    @property
    def is_set(self) -> NDArray[np.bool_]:
        """A mask of the tokens that have a head."""
        return self.heads >= 0

    def known(self, labels: Sequence[str], strings: StringStore) -> Known | None:
        """Return the constraints on the search: the heads of sentences that have some.
        Sentences that have all heads stay without regard to the search."""
        bounds = self.batch.bounds
        lengths = np.diff(bounds)
        first = np.repeat(bounds[:-1], lengths)
        part = self.is_set & ~self._whole()
        if not part.any():
            return None
        end = np.repeat(bounds[1:], lengths)
        outside = part & ((self.heads < first) | (self.heads >= end))
        if outside.any():
            raise self._error(outside, "its head is in another sentence")
        numbers = {strings.as_int(label): i for i, label in enumerate(labels)}
        relations = np.full(len(part), UNKNOWN, dtype=np.int32)
        for i in np.flatnonzero(part).tolist():
            relations[i] = numbers.get(int(self.relations[i]), UNKNOWN)
        heads = np.where(part, self.heads - first, UNKNOWN).astype(np.int32)
        relations[heads == np.arange(len(heads)) - first] = UNKNOWN
        return Known(heads, relations)

    def restore(self, heads: NDArray[np.int64], relations: NDArray[np.uint64]) -> None:
        """Write the arcs that were set over predicted ones, in place."""
        is_set = self.is_set
        lost = is_set & ~self._whole() & (heads != self.heads)
        if lost.any():
            raise self._error(
                lost,
                "with the other heads that are set it makes no tree without crosses",
            )
        heads[is_set] = self.heads[is_set]
        relations[is_set] = self.relations[is_set]

    def _whole(self) -> NDArray[np.bool_]:
        """Return a mask of the tokens in sentences whose heads are all set."""
        bounds = self.batch.bounds
        whole = np.logical_and.reduceat(self.is_set, bounds[:-1])
        return np.repeat(whole, np.diff(bounds))

    def _place(self, tokens: NDArray[np.bool_]) -> tuple[Doc, int]:
        """Return the Doc of the first token in a mask, and its position there."""
        token = int(tokens.argmax())
        number = int(np.searchsorted(self.batch.docs, token, side="right")) - 1
        return self.docs[number], token - int(self.batch.docs[number])

    def _error(self, tokens: NDArray[np.bool_], problem: str) -> ValueError:
        doc, token = self._place(tokens)
        return token_error(Errors.LP809, self.name, doc, token, problem)
