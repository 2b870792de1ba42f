"""Conversion of a table to spaCy's Examples, nearly as fast as creating the Docs.

Words are set as hashes and annotation by one `from_array` per Doc. Codes are converted
to hashes for a block of Docs at a time, so only the table stays in memory.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import HEAD, SENT_START
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from ..io.span_groups import span_group
from ..label_sets import allow
from ..schemes import DEFAULT_LABELS_SCHEME
from .label_spans import SpanColumn
from .partial import OpenTokens
from .table import Table
from .token_layers import (
    ATTRIBUTES,
    LABELS,
    Layer,
    block_values,
    entity_layers,
    sentence_layer,
    string_layer,
    tree_layers,
)

DOCS_PER_BLOCK = 256
MISSING_KEY = "missing_chunks"


@dataclass
class _Annotation:
    """The annotation of one side of an example."""

    layers: list[Layer] = field(default_factory=list)
    spans: bool = False
    open: bool = False

    @property
    def attributes(self) -> list[int]:
        return [layer.attribute for layer in self.layers]


class SharedDoc(NamedTuple):
    """A stand-in for an Example with the same Doc on both sides, without alignment.
    Creating an Example takes nearly as long as creating the Doc.
    """

    predicted: Doc
    reference: Doc


class ExampleMaker:
    """A converter of a table to Docs and Examples.

    Args:
        spans: The spans of the columns `chunk` and `ent`, as far as the table has them.
        inputs: The columns that are also set on the predicted Docs.
        chunk_key: The key in `doc.spans` for chunks.
        documents: Create a Doc per document, with sentence starts, not per sentence.
        max_sentences: Split longer documents into several Docs; 0 for no limit.
        open_tokens: The tokens without a certain label, by column, for the references.
    """

    def __init__(
        self,
        vocab: Vocab,
        table: Table,
        spans: Mapping[str, SpanColumn],
        *,
        inputs: Collection[str] = (),
        chunk_key: str = "chunks",
        documents: bool = False,
        max_sentences: int = 0,
        open_tokens: Mapping[str, OpenTokens] | None = None,
    ):
        self.vocab = vocab
        self.table = table
        self.chunks = spans.get("chunk")
        self.chunk_key = chunk_key
        self.offsets = table.sentence_offsets
        if documents:
            starts = table.document_offsets
            if max_sentences:
                parts = [np.arange(*x, max_sentences) for x in pairwise(starts)]
                starts = np.concatenate([*parts, starts[-1:]])
            self.offsets = table.sentence_offsets[starts]
        words = table.columns["word"].strings
        self.orths = np.array([vocab.strings.add(x) for x in words], dtype=np.uint64)
        self.open = dict(open_tokens or {})
        self.shared = False
        self.reference = _Annotation(
            spans=self.chunks is not None,
            open=open_tokens is not None,
        )
        self.predicted = _Annotation(
            spans=self.chunks is not None and "chunk" in inputs
        )
        for name in ATTRIBUTES:
            if name in table.columns:
                self._add(name in inputs, string_layer(vocab, table, name))
        if "ent" in spans:
            missing = self.open["ent"].tokens if "ent" in self.open else None
            self._add(
                "ent" in inputs, *entity_layers(vocab, table, spans["ent"], missing)
            )
        if table.heads is not None:
            self._add(False, *tree_layers(vocab, table))
        if documents:
            # Last: _docs looks for it there.
            self._add(True, sentence_layer(table))
        if self.chunks is not None:
            names = [vocab.strings.add(type_) for type_ in self.chunks.types]
            self.chunk_types = np.array(names, dtype=np.uint64)

    def _add(self, is_input: bool, *layers: Layer) -> None:
        self.reference.layers.extend(layers)
        if is_input:
            self.predicted.layers.extend(layers)

    def share_docs(self, read: Collection[int]) -> None:
        """Use one Doc for both sides of an example (SharedDoc) if that has no effect.

        Args:
            read: The only attributes that are read from predicted Docs.
        """
        hidden = set(self.reference.attributes) - set(self.predicted.attributes)
        if HEAD in hidden:
            hidden.add(SENT_START)  # which spaCy derives from the heads
        self.shared = hidden.isdisjoint(read)

    def examples(self) -> Iterator[Example]:
        """Yield the examples in the order of the file."""
        for block in self._blocks():
            yield from self._examples(*block)

    def examples_of(self, numbers: Iterable[int]) -> Iterator[Example]:
        """Yield some examples by number."""
        for number in numbers:
            yield from self._examples(*self._block(number, number + 1))

    def _examples(self, offsets: list[int], orths: list[int]) -> Iterator[Example]:
        if self.shared:
            for doc in self._docs(offsets, orths, self.reference):
                yield SharedDoc(doc, doc)
            return
        for predicted, reference in zip(
            self._docs(offsets, orths, self.predicted),
            self._docs(offsets, orths, self.reference),
            strict=True,
        ):
            yield Example(predicted, reference)

    def count_sentences(self, wanted: NDArray[np.bool_]) -> int:
        """The number of sentences in some examples."""
        begin = np.searchsorted(self.table.sentence_offsets, self.offsets)
        return int(np.diff(begin)[wanted].sum())

    def with_all_labels(self, wanted: NDArray[np.bool_]) -> list[int]:
        """The numbers of a few examples that have all labels of the table."""
        sizes = np.diff(self.offsets)
        inside = np.repeat(wanted, sizes)
        number_of = np.repeat(np.arange(len(sizes)), sizes)
        found = set(np.flatnonzero(wanted)[:1].tolist())
        for layer in self.reference.layers:
            if layer.attribute in LABELS:
                _, first = np.unique(layer.codes[inside], return_index=True)
                found.update(number_of[inside][first].tolist())
        if self.chunks is not None:
            kept = inside[self.chunks.starts]
            _, first = np.unique(self.chunks.type_ids[kept], return_index=True)
            found.update(number_of[self.chunks.starts[kept][first]].tolist())
        return sorted(found)

    def docs(self) -> Iterator[Doc]:
        """Yield all Docs with their full annotation."""
        for block in self._blocks():
            yield from self._docs(*block, self.reference)

    def _blocks(self) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the token offsets of some Docs, and the hashes of their words."""
        for first in range(0, len(self.offsets) - 1, DOCS_PER_BLOCK):
            yield self._block(first, first + DOCS_PER_BLOCK)

    def _block(self, first: int, end: int) -> tuple[list[int], list[int]]:
        offsets = self.offsets[first : end + 1]
        ids = self.table.columns["word"].ids[offsets[0] : offsets[-1]]
        return offsets.tolist(), self.orths[ids].tolist()

    def _docs(
        self, offsets: list[int], orths: list[int], annotation: _Annotation
    ) -> Iterator[Doc]:
        origin, end_of_block = offsets[0], offsets[-1]
        attributes = annotation.attributes
        values = block_values(annotation.layers, origin, end_of_block)
        chunks = self._chunks(offsets) if annotation.spans else None
        spaces = self._spaces(origin, end_of_block)
        for start, end in pairwise(offsets):
            inside = slice(start - origin, end - origin)
            doc = Doc(
                self.vocab,
                words=orths[inside],
                spaces=spaces[inside] if spaces is not None else None,
            )
            if attributes:
                doc.from_array(attributes, values[inside])
                if {HEAD, SENT_START} <= set(attributes):
                    # spaCy derives the bounds from the heads; without a root it cannot.
                    doc.from_array(SENT_START, values[inside, -1])
            if chunks is not None:
                doc.spans[self.chunk_key] = span_group(
                    doc, self.chunk_key, next(chunks)
                )
            if annotation.open:
                self._leave_open(doc, start, end)
            yield doc

    def _leave_open(self, doc: Doc, start: int, end: int) -> None:
        """Mark uncertain labels on a reference Doc."""
        layers = {"chunk": self.chunk_key, "ent": "ents"}
        for column, found in self.open.items():
            first, last = np.searchsorted(found.tokens, (start, end)).tolist()
            tokens = (found.tokens[first:last] - start).tolist()
            sets = dict(zip(tokens, found.sets[first:last], strict=True))
            sets = {token: labels for token, labels in sets.items() if labels}
            if sets:
                scheme = found.scheme or DEFAULT_LABELS_SCHEME
                allow(doc, layers.get(column, column), sets, scheme=scheme)
            if tokens and column == "chunk":
                doc.spans[MISSING_KEY] = [
                    Span(doc, token, token + 1) for token in tokens
                ]

    def _spaces(self, first: int, end: int) -> list[bool] | None:
        spaces = self.table.spaces
        return None if spaces is None else spaces[first:end].tolist()

    def _chunks(self, offsets: list[int]) -> Iterator[tuple[NDArray, NDArray, NDArray]]:
        """Yield the chunks of each Doc: starts, ends (exclusive) and label hashes."""
        assert self.chunks is not None
        borders: NDArray[np.int64] = np.searchsorted(self.chunks.starts, offsets)
        within = slice(borders[0], borders[-1])
        shift = np.repeat(offsets[:-1], np.diff(borders))
        starts = (self.chunks.starts[within] - shift).astype(np.int32)
        ends = (self.chunks.ends[within] - shift).astype(np.int32)
        labels = self.chunk_types[self.chunks.type_ids[within]]
        for i, j in pairwise((borders - borders[0]).tolist()):
            yield starts[i:j], ends[i:j], labels[i:j]
