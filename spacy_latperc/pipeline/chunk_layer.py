"""Chunks in doc.spans, as latperc_chunker reads and writes them."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc

from ..data.examples import MISSING_KEY
from ..errors import Errors
from ..io.span_groups import CHARACTERS, Characters, span_groups
from .doc_reader import describe, offsets_of
from .extensions import SCORES
from .gold_spans import GoldSpans, covered, read_rows, read_spans
from .prediction import Found, Prediction


class ChunkLayer:
    """The spans under a key of doc.spans, its name: reads gold ones and writes
    predicted ones."""

    def __init__(self, name: str, spans_key: str):
        self._component = name
        self.name = spans_key

    @property
    def written(self) -> str:
        """The name of these spans among the `inputs` of corpus readers."""
        return f"spans:{self.name}"

    # Gold -----------------------------------------------------------------------------

    def labels(self, doc: Doc) -> Iterable[str]:
        """Return the labels of the gold spans of a reference Doc."""
        spans = read_spans(doc, self.name) or ()
        return {doc.vocab.strings[label] for _, _, label in spans}

    def gold(self, docs: Sequence[Doc]) -> GoldSpans:
        """Read the gold chunks; a Doc without the key is not annotated at all."""
        offsets = offsets_of(docs)
        spans, annotated = read_rows(docs, offsets, self.name)
        missing = np.repeat(~annotated, np.diff(offsets))
        empty = np.flatnonzero(spans[:, 0] >= spans[:, 1])
        if len(empty):
            doc, start, end, _ = self._find(docs, offsets, spans[empty[0]])
            raise ValueError(
                Errors.LP044.format(
                    name=self._component, start=start, end=end, doc=describe(doc)
                )
            )
        holes, _ = read_rows(docs, offsets, MISSING_KEY)
        if len(holes):
            missing |= covered(holes[:, 0], holes[:, 1], len(missing))
            for span in spans:
                within = missing[span[0] : span[1]]
                if within.any():
                    doc, start, end, label = self._find(docs, offsets, span)
                    chunk = f"{label} from token {start} to {end - 1}"
                    raise ValueError(
                        Errors.LP071.format(
                            name=self._component,
                            token=start + int(within.argmax()),
                            doc=describe(doc),
                            first=f"doc.spans['{self.name}'] has {chunk}",
                            second=f"doc.spans['{MISSING_KEY}'] says that it is open",
                        )
                    )
        return GoldSpans(spans, missing, spans[:0])

    @staticmethod
    def _find(
        docs: Sequence[Doc], offsets: NDArray[np.int64], span: NDArray[np.uint64]
    ) -> tuple[Doc, int, int, str]:
        """Return the Doc of a span, its tokens in that Doc, and its label."""
        first, end, label = span.tolist()
        number = min(int(offsets.searchsorted(first, side="right")), len(docs)) - 1
        doc, shift = docs[number], int(offsets[number])
        return doc, first - shift, end - shift, doc.vocab.strings[label]

    def kept(self, docs: Sequence[Doc], extra: NDArray[np.uint64] | None) -> None:
        """Return nothing: no span stays."""

    # Writing --------------------------------------------------------------------------

    extra_columns = CHARACTERS

    def write(self, docs: Sequence[Doc], prediction: Prediction, found: Found) -> None:
        """Write spans, and their scores."""
        key = self.name
        first = found.starts.searchsorted(prediction.docs)
        read, characters = prediction.extra, None
        if read is not None:
            characters = Characters(read[:, 0], read[found.ends - 1, 1])
        groups = span_groups(docs, key, prediction.docs, found, characters)
        places = list(pairwise(first.tolist()))
        for doc, group, (i, j) in zip(docs, groups, places, strict=True):
            doc.spans.data[key] = group  # which need not be asked of whom it is
            if prediction.scores is not None:
                group.attrs[SCORES] = prediction.scores[i:j].copy()
