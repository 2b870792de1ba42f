"""Docs as arrays: the columns that templates name, and gold spans on other tokens."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from spacy.attrs import IDS, ORTH
from spacy.tokens import Doc
from spacy.training import Example

from ..features.attributes import (
    ANNOTATED,
    SENTENCE_COLUMN,
    Elsewhere,
    column_reader,
)
from ..features.sources import DocReading, Sources, Tokens
from ..features.values import join_columns
from ..kernels.text import doc_rows
from ..learners.base import Batch

IOB_INSIDE, IOB_OUTSIDE, IOB_BEGIN = 1, 2, 3  # values of ENT_IOB; 0 is "missing"


class DocReader:
    """Reads the columns that a set of templates needs.

    Args:
        columns: By name.
        given: Those that sources of attributes give, and what reads them. Loading makes
            others: it is asked whenever Docs are read.
        sources: Those of attributes, by name; likewise.
    """

    def __init__(
        self,
        columns: Sequence[str],
        given: Callable[[], Mapping[str, DocReading]] = dict,
        sources: Callable[[], Sources] = dict,
    ):
        self.columns = list(columns)
        self._sources = sources
        self._given = given
        self._given_at = {c: x for c, x in enumerate(columns) if x in given()}
        readers = [column_reader(name) for name in columns]
        # What is read in another way is written over something that costs little, so
        # that one call gives all the room that there is to be.
        self._native = [
            IDS[SENTENCE_COLUMN if reader or c in self._given_at else columns[c]]
            for c, reader in enumerate(readers)
        ]
        self._annotated_at = [c for c, x in enumerate(columns) if x in ANNOTATED]
        self._others = [(c, reader) for c, reader in enumerate(readers) if reader]

    def read(self, docs: Sequence[Doc], extra: Sequence[int] = ()) -> Batch:
        """The columns of a batch of Docs, one after the other.

        Args:
            docs: The Docs.
            extra: Attributes to read along with them, which costs little: most of the
                time goes into asking a Doc at all.
        """
        native = [*self._native, *extra]
        offsets = offsets_of(docs)
        if docs:
            values, held = token_rows(docs, native, offsets, len(extra))
            lookup = docs[0].vocab.strings.__getitem__
        else:
            width = len(self.columns) + len(extra)
            values, lookup = np.zeros((0, width), dtype=np.uint64), _no_strings
            held = False
        lists = None
        kept: dict[Any, Any] = {}
        if docs and (self._others or self._given_at):
            parts = self._read_others(docs, values, offsets, kept)
            lists = join_columns(parts, values)
        read = values[:, len(self.columns) :] if extra else None
        return Batch(
            values,
            offsets,
            lookup,
            lists=lists,
            extra=read,
            blank=bool(extra) and not held,
            kept=kept,
        )

    @property
    def attributes(self) -> list[int] | None:
        """The attributes of tokens that are read; None where there is more."""
        return None if self._others or self._given_at else self._native

    def empty(self, batch: Batch) -> list[str]:
        """Columns that a component before us should have written, and did not."""
        values = batch.values
        if not len(values):
            return []
        return [
            self.columns[c]
            for c in self._annotated_at
            if not (values[0, c] or values[:, c].any())
        ]

    def _read_others(
        self,
        docs: Sequence[Doc],
        values: NDArray[np.uint64],
        offsets: NDArray[np.int64],
        kept: dict[Any, Any],
    ) -> Iterator[tuple[int, int, Any]]:
        """Column, first token, and what was read there."""
        for c, read in self._others:
            if isinstance(read, Elsewhere):
                yield c, 0, read.of_docs(docs)
                continue
            for doc, start in zip(docs, offsets[:-1].tolist(), strict=True):
                yield c, start, read(doc)
        if self._given_at:
            words = np.ascontiguousarray(values[:, 0])
            lookup = docs[0].vocab.strings.__getitem__
            sources = self._sources()
            firsts = np.ascontiguousarray(values[:, 1])
            tokens = Tokens(docs, words, offsets, lookup, kept, sources, firsts)
            readings = self._given()
            for c, name in self._given_at.items():
                yield c, 0, readings[name](tokens)


def offsets_of(docs: Sequence[Doc]) -> NDArray[np.int64]:
    """Return the first token of each Doc, counted over all of them, and the end."""
    return np.cumsum([0, *map(len, docs)], dtype=np.int64)


def token_rows(
    docs: Sequence[Doc],
    attributes: list[int],
    offsets: NDArray[np.int64],
    watched: int = 0,
) -> tuple[NDArray[np.uint64], bool]:
    """The attributes of all tokens.

    Args:
        docs: One or more.
        attributes: By number, two or more.
        offsets: The first token of each Doc, and the end.
        watched: Of how many of the last attributes it is said whether they are 0.

    Returns:
        The attributes, [tokens, attributes], and whether any of those that are watched
        is not 0.
    """
    if len(docs) == 1:  # short texts one by one
        rows = docs[0].to_array(attributes)
        return rows, bool(watched and rows[:, -watched:].any())
    return doc_rows(list(docs), attributes, offsets, watched)


def _no_strings(orth: int) -> str:
    raise KeyError(orth)


def same_tokens(example: Example) -> bool:
    """Whether the two sides of an example have the same words, so that no alignment is
    needed."""
    predicted, reference = example.predicted, example.reference
    if predicted is reference:
        return True
    if len(predicted) != len(reference):
        return False
    return predicted.to_array(ORTH).tobytes() == reference.to_array(ORTH).tobytes()


def have_words(examples: Sequence[Example], batch: Batch) -> list[bool]:
    """Return for each example whether the reference Doc has the words of the predicted
    one, whose columns are known."""
    words = np.ascontiguousarray(batch.values[:, 0])
    return [
        example.predicted is example.reference
        or example.reference.to_array(ORTH).tobytes() == words[first:end].tobytes()
        for example, (first, end) in zip(
            examples, pairwise(batch.docs.tolist()), strict=True
        )
    ]


def describe(doc: Doc) -> str:
    """A few words of a Doc, to name it in a message."""
    text = doc.text.replace("\n", " ").strip()
    return repr(text if len(text) <= 60 else text[:57] + "...")


def entity_spans(
    columns: NDArray[np.uint64], offsets: ArrayLike = ()
) -> NDArray[np.uint64]:
    """Return the entities in an [n, 2] array of ENT_IOB and ENT_TYPE: first token,
    token after the last one, hash of the label.

    Args:
        columns: The array.
        offsets: Tokens before which every entity ends, such as the first ones of Docs.
    """
    iob, types = columns[:, 0], columns[:, 1]
    inside = ((iob == IOB_BEGIN) | (iob == IOB_INSIDE)) & (types > 0)
    # One more, behind the end, where every entity ends.
    begin = np.ones(len(columns) + 1, dtype=bool)
    begin[1:-1] = (iob[1:] == IOB_BEGIN) | ~inside[:-1] | (types[1:] != types[:-1])
    begin[np.asarray(offsets, dtype=np.int64)] = True
    starts = np.flatnonzero(begin[:-1] & inside)
    after = np.append(inside, False)[1:]
    ends = np.flatnonzero(inside & (begin[1:] | ~after)) + 1
    found = np.empty((len(starts), 3), dtype=np.uint64)
    found[:, 0], found[:, 1], found[:, 2] = starts, ends, types[starts]
    return found
