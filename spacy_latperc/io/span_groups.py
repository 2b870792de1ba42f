"""Span groups for `doc.spans`, created without a Span object for each span.

Creating a Span takes 0.4 us, as long as a chunker's decision. A group copies the
numbers of its spans, so one Span object moves from span to span.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import srsly
from numpy.typing import ArrayLike, NDArray
from spacy.attrs import IDX, LENGTH
from spacy.tokens import Doc, Span, SpanGroup

from ..kernels.text import SpanCursor

# The attributes of tokens for the character offsets of spans.
CHARACTERS = [IDX, LENGTH]
# A span in the bytes of a SpanGroup.
_SPAN = np.dtype(
    [("id", ">u8"), ("kb_id", ">u8"), ("label", ">u8"), ("start", ">i4")]
    + [("end", ">i4"), ("start_char", ">i4"), ("end_char", ">i4")]
)


class Characters(NamedTuple):
    """Positions of tokens and spans in the texts of their Docs.

    Attributes:
        begins: The first character of each token.
        lengths: The length of the last token of each span.
    """

    begins: NDArray[np.uint64]
    lengths: NDArray[np.uint64]


def read_characters(docs: Sequence[Doc], ends: NDArray) -> Characters:
    """Read the positions of the tokens of some Docs, one after the other."""
    read = np.concatenate([doc.to_array(CHARACTERS) for doc in docs])
    return Characters(read[:, 0], read[ends.astype(np.int64) - 1, 1])


def span_groups(
    docs: Sequence[Doc],
    name: str,
    offsets: ArrayLike,
    spans: tuple[ArrayLike, ArrayLike, ArrayLike],
    characters: Characters | None = None,
) -> list[SpanGroup]:
    """Create a group for each Doc.

    Args:
        docs: The Docs.
        name: The name of the groups.
        offsets: The first token of each Doc, and the end.
        spans: The first token of each span in the batch, in order, the token after it,
            and the hash of its label, which the vocabularies of the Docs must know.
        characters: Positions in the texts, if they were read before.
    """
    if not docs:
        return []
    starts = np.ascontiguousarray(spans[0], dtype=np.int32)
    ends = np.ascontiguousarray(spans[1], dtype=np.int32)
    labels = np.ascontiguousarray(spans[2], dtype=np.uint64)
    found = read_characters(docs, ends) if characters is None else characters
    cursor = SpanCursor(starts, ends, labels, found.begins, found.lengths)
    at = np.asarray(offsets).tolist()
    bounds = pairwise(starts.searchsorted(at).tolist())
    groups = []
    for doc, (first, stop), shift in zip(docs, bounds, at, strict=False):
        some = first < stop
        moved = cursor.over(Span(doc, 0, 0), first, stop, shift) if some else ()
        groups.append(SpanGroup(doc, name=name, spans=moved))
    return groups


def span_group(
    doc: Doc,
    name: str,
    spans: tuple[ArrayLike, ArrayLike, ArrayLike],
    characters: Characters | None = None,
) -> SpanGroup:
    """Create the group of one Doc; its spans may be in any order."""
    starts, ends = (np.ascontiguousarray(x, dtype=np.int32) for x in spans[:2])
    labels = np.ascontiguousarray(spans[2], dtype=np.uint64)
    found = read_characters([doc], ends) if characters is None else characters
    cursor = SpanCursor(starts, ends, labels, found.begins, found.lengths)
    moved = cursor.over(Span(doc, 0, 0), 0, len(starts), 0)
    return SpanGroup(doc, name=name, spans=moved)


def read_groups(doc: Doc, data: bytes) -> None:
    """Load `doc.spans.to_bytes()` into a Doc. `doc.spans.from_bytes` searches all
    installed packages for decoders, which takes 0.25 ms for each group."""
    packed = _unpack(data) if data else []
    if not isinstance(packed, dict):  # no groups, or those of an early spaCy
        if packed:
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
    # Arrays among the attributes need decoders; identifiers are rare.
    if packed["attrs"] or spans["id"].any() or spans["kb_id"].any():
        return SpanGroup(doc).from_bytes(data)
    starts, ends = spans["start"], spans["end"]
    # Where tokens were merged or split later, the numbers no longer fit the Doc.
    if ((starts < 0) | (starts >= ends) | (ends > len(doc))).any():
        return SpanGroup(doc).from_bytes(data)
    found = read_characters([doc], ends)
    if (found.begins[starts] != spans["start_char"].astype(np.uint64)).any():
        return SpanGroup(doc).from_bytes(data)
    return span_group(doc, packed["name"], (starts, ends, spans["label"]), found)


def _unpack(data: bytes) -> Any:
    """Unpack bytes with an empty hook, which saves spaCy's search for decoders."""
    return srsly.msgpack.unpackb(data, raw=False, object_pairs_hook=dict)
