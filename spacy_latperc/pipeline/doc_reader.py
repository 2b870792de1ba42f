"""Docs as arrays: the columns that templates name."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from spacy.attrs import IDS, ORTH, SENT_START
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
        columns: The names of the columns.
        source_readers: Returns the readers of columns from attribute sources. Loading
            replaces them, so that it is called whenever Docs are read.
        sources: Returns the attribute sources by name.
    """

    def __init__(
        self,
        columns: Sequence[str],
        source_readers: Callable[[], Mapping[str, DocReading]] = dict,
        sources: Callable[[], Sources] = dict,
    ):
        self.columns = list(columns)
        self._sources = sources
        self._source_readers = source_readers
        self._source_columns = {
            c: x for c, x in enumerate(columns) if x in source_readers()
        }
        readers = [column_reader(name) for name in columns]
        # What is read in another way is written over something that costs little, so
        # that one call gives all the room that there is to be.
        self._native = [
            IDS[SENTENCE_COLUMN if reader or c in self._source_columns else columns[c]]
            for c, reader in enumerate(readers)
        ]
        self._annotated_at = [c for c, x in enumerate(columns) if x in ANNOTATED]
        self._others = [(c, reader) for c, reader in enumerate(readers) if reader]

    def read(self, docs: Sequence[Doc], extra: Sequence[int] = ()) -> Batch:
        """Read the columns of a batch of Docs, one after the other.

        Args:
            docs: The Docs.
            extra: More attributes to read. They cost little: most of the time goes into
                the call for each Doc.
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
        source_data: dict[Any, Any] = {}
        if docs and (self._others or self._source_columns):
            parts = self._read_others(docs, values, offsets, source_data)
            lists = join_columns(parts, values)
        read = values[:, len(self.columns) :] if extra else None
        return Batch(
            values,
            offsets,
            lookup,
            lists=lists,
            extra=read,
            blank=bool(extra) and not held,
            source_data=source_data,
        )

    @property
    def attributes(self) -> list[int] | None:
        """The attributes of tokens that are read; None if there are other columns."""
        return None if self._others or self._source_columns else self._native

    def empty(self, batch: Batch) -> dict[str, str]:
        """Return the columns that are empty, with the component that writes each."""
        values = batch.values
        if not len(values):
            return {}
        return {
            self.columns[c]: ANNOTATED[self.columns[c]]
            for c in self._annotated_at
            if not (values[0, c] or values[:, c].any())
        }

    def _read_others(
        self,
        docs: Sequence[Doc],
        values: NDArray[np.uint64],
        offsets: NDArray[np.int64],
        source_data: dict[Any, Any],
    ) -> Iterator[tuple[int, int, Any]]:
        """Yield column, first token, and the values read there."""
        for c, read in self._others:
            if isinstance(read, Elsewhere):
                yield c, 0, read.of_docs(docs)
                continue
            for doc, start in zip(docs, offsets[:-1].tolist(), strict=True):
                yield c, start, read(doc)
        if self._source_columns:
            words = np.ascontiguousarray(values[:, 0])
            lookup = docs[0].vocab.strings.__getitem__
            sources = self._sources()
            firsts = np.ascontiguousarray(values[:, 1])
            tokens = Tokens(docs, words, offsets, lookup, source_data, sources, firsts)
            readings = self._source_readers()
            for c, name in self._source_columns.items():
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
    """Read the attributes of all tokens.

    Args:
        docs: One or more.
        attributes: The ids of two or more attributes.
        offsets: The first token of each Doc, and the end.
        watched: The number of attributes, from the last, that are checked for 0.

    Returns:
        The attributes, [tokens, attributes], and True if a checked one is not 0.
    """
    if len(docs) == 1:  # short texts one by one
        rows = docs[0].to_array(attributes)
        return rows, bool(watched and rows[:, -watched:].any())
    return doc_rows(list(docs), attributes, offsets, watched)


def _no_strings(orth: int) -> str:
    raise KeyError(orth)


def same_tokens(example: Example) -> bool:
    """Return True if both sides of an example have the same words, so that no alignment
    is needed."""
    predicted, reference = example.predicted, example.reference
    if predicted is reference:
        return True
    if len(predicted) != len(reference):
        return False
    return predicted.to_array(ORTH).tobytes() == reference.to_array(ORTH).tobytes()


def have_words(examples: Sequence[Example], batch: Batch) -> list[bool]:
    """Return for each example whether the reference Doc has the words of the predicted
    one, whose columns are known."""
    docs = [example.reference for example in examples]
    offsets = offsets_of(docs)
    if np.array_equal(offsets, batch.docs):
        # All at once, which takes half as long; the second attribute is not used.
        rows, _ = token_rows(docs, [ORTH, SENT_START], offsets)
        differ = np.flatnonzero(rows[:, 0] != batch.values[:, 0])
        if not len(differ):
            return [True] * len(docs)
    return [same_tokens(example) for example in examples]


def describe(doc: Doc) -> str:
    """Return the first words of a Doc, to name it in a message."""
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
