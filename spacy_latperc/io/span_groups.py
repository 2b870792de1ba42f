"""Groups of spans for `doc.spans`, without a Span object for each span.

To make a Span takes spaCy 0.4 us, three Token objects among it: as long as a chunker
takes to decide. A group copies the numbers of the spans that it is given. So one Span
goes from place to place, and the group takes down where it is.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import srsly
from numpy.typing import ArrayLike, NDArray
from spacy.attrs import IDX, LENGTH
from spacy.tokens import Doc, Span, SpanGroup
from spacy.tokens._dict_proxies import SpanGroups

from ..kernels.text import Places

# What is read of tokens to know at which characters a span begins and ends.
CHARACTERS = [IDX, LENGTH]
# A span in the bytes of a group.
_SPAN = np.dtype(
    [("id", ">u8"), ("kb_id", ">u8"), ("label", ">u8"), ("start", ">i4")]
    + [("end", ">i4"), ("start_char", ">i4"), ("end_char", ">i4")]
)


class Characters(NamedTuple):
    """Where words and spans are in the text of their Docs.

    Attributes:
        begins: The first character of each token.
        lengths: How long the last token of each span is.
    """

    begins: NDArray[np.uint64]
    lengths: NDArray[np.uint64]


def read_characters(docs: Sequence[Doc], ends: NDArray) -> Characters:
    """Those of some Docs in a row.

    Args:
        docs: The Docs.
        ends: The tokens after the last ones of the spans.
    """
    read = np.concatenate([doc.to_array(CHARACTERS) for doc in docs])
    return Characters(read[:, 0], read[ends.astype(np.int64) - 1, 1])


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


def span_group(
    doc: Doc,
    name: str,
    spans: Iterable[tuple[int, int, int]],
    characters: Characters | None = None,
) -> SpanGroup:
    """A group of one Doc.

    Args:
        doc: The Doc.
        name: Of the group.
        spans: First token, token after the last one, hash of the label, which the
            vocabulary must know.
        characters: Of the tokens and the spans, if they are known.
    """
    listed = list(spans)
    if characters is None:
        characters = read_characters([doc], np.array([end for _, end, _ in listed]))
    begins, lengths = characters.begins.tolist(), characters.lengths.tolist()
    rows = [
        (start, end, begins[start], begins[end - 1] + length, label)
        for (start, end, label), length in zip(listed, lengths, strict=True)
    ]
    return SpanGroup(doc, name=name, spans=_Places(doc, rows))


def span_groups(
    docs: Sequence[Doc],
    name: str,
    offsets: NDArray[np.int64],
    spans: tuple[ArrayLike, ArrayLike, ArrayLike],
    characters: Characters | None = None,
) -> Iterator[SpanGroup]:
    """A group for each Doc.

    Args:
        docs: The Docs.
        name: Of the groups.
        offsets: First tokens of the Docs, and the end.
        spans: First tokens in the batch, in order; tokens after the last ones; hashes
            of labels, which the vocabularies of the Docs must know.
        characters: Of the tokens of the batch and of the spans, if they are known.
    """
    if len(docs) == 1:  # short texts one by one
        numbers = zip(*(np.asarray(x).tolist() for x in spans), strict=True)
        yield span_group(docs[0], name, numbers, characters)
    if len(docs) < 2:
        return
    starts, ends = (np.ascontiguousarray(x, dtype=np.int32) for x in spans[:2])
    labels = np.ascontiguousarray(spans[2], dtype=np.uint64)
    found = read_characters(docs, ends) if characters is None else characters
    places = Places(starts, ends, labels, found.begins, found.lengths)
    first = starts.searchsorted(offsets).tolist()
    for doc, (i, j), at in zip(docs, pairwise(first), offsets.tolist(), strict=False):
        moved = places.of(Span(doc, 0, 0), i, j, at) if i < j else ()
        yield SpanGroup(doc, name=name, spans=moved)


def read_groups(doc: Doc, data: bytes) -> None:
    """Read `doc.spans.to_bytes()` into a Doc, as `doc.spans.from_bytes` does.

    For each group and each Doc, that looks through all installed packages for more
    decoders, which takes a quarter of a millisecond."""
    if not data or data == SpanGroups._EMPTY_BYTES:
        return
    packed = _unpack(data)
    if not isinstance(packed, dict):  # of earlier versions
        doc.spans.from_bytes(data)
        return
    for group_data, keys in packed.items():
        group = _read_group(doc, group_data)
        doc.spans[keys[0]] = group
        for key in keys[1:]:
            doc.spans[key] = group.copy()


def _read_group(doc: Doc, data: bytes) -> SpanGroup:
    packed = _unpack(data)
    spans = np.frombuffer(b"".join(packed["spans"]), dtype=_SPAN)
    # Arrays among the attributes want decoders; identifiers are rare.
    if packed["attrs"] or spans["id"].any() or spans["kb_id"].any():
        return SpanGroup(doc).from_bytes(data)
    columns = ("start", "end", "start_char", "end_char", "label")
    rows = list(zip(*(spans[name].tolist() for name in columns), strict=True))
    return SpanGroup(doc, name=packed["name"], spans=_Places(doc, rows))


def _unpack(data: bytes) -> Any:
    """What was packed. A hook of one's own leaves out spaCy's search for decoders."""
    return srsly.msgpack.unpackb(data, raw=False, object_pairs_hook=dict)
