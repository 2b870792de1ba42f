"""Groups of spans for `doc.spans`, without a Span object for each span.

To make a Span takes spaCy 0.4 us, three Token objects among it: as long as a chunker
takes to decide. A group copies the numbers of the spans that it is given. So one Span
goes from place to place, and the group takes down where it is.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from spacy.attrs import IDX, LENGTH
from spacy.tokens import Doc, Span, SpanGroup

# What is read of tokens to know at which characters a span begins and ends.
CHARACTERS = [IDX, LENGTH]


class _Places:
    """One Span at one place after the other; rows are its tokens, its characters and
    the hash of its label."""

    def __init__(self, doc: Doc, rows: Sequence[tuple[int, int, int, int, int]]):
        self.doc = doc
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Span]:
        span = Span(self.doc, 0, 0)
        places = self.rows
        for span.start, span.end, span.start_char, span.end_char, span.label in places:
            yield span


def span_groups(
    docs: Sequence[Doc],
    name: str,
    offsets: NDArray[np.int64],
    spans: tuple[ArrayLike, ArrayLike, ArrayLike],
    characters: NDArray[np.uint64] | None = None,
) -> Iterator[SpanGroup]:
    """A group for each Doc.

    Args:
        docs: The Docs.
        name: Of the groups.
        offsets: First tokens of the Docs, and the end.
        spans: First tokens in the batch, in order; tokens after the last ones; hashes
            of labels, which the vocabularies of the Docs must know.
        characters: The CHARACTERS of the tokens of the batch, if they are read already.
    """
    if not docs:
        return
    if characters is None:
        read = [doc.to_array(CHARACTERS) for doc in docs]
        characters = np.concatenate(read) if len(read) > 1 else read[0]
    starts, ends = (np.asarray(tokens, dtype=np.int64) for tokens in spans[:2])
    before = starts.searchsorted(offsets)
    at = offsets[:-1].repeat(np.diff(before))
    rows = list(
        zip(
            (starts - at).tolist(),
            (ends - at).tolist(),
            characters[starts, 0].tolist(),
            characters[ends - 1].sum(axis=1).tolist(),
            np.asarray(spans[2], dtype=np.uint64).tolist(),
            strict=True,
        )
    )
    for doc, (i, j) in zip(docs, pairwise(before.tolist()), strict=True):
        yield SpanGroup(doc, name=name, spans=_Places(doc, rows[i:j]))
