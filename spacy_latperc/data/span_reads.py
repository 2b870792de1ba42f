"""Gold spans of reference Docs, read again only after they may have changed.

To make the Span objects of a group takes spaCy nearly as long as it takes us to learn
from them: where all are read in every pass, an epoch over 95,000 tokens of CoNLL-2000
takes 0.34 s in place of 0.23 s, and `to_bytes` of a group is 25 times slower still. A
group does not tell when it changes, but whoever changes it must take it out of
`doc.spans` first. So that is what is noticed, from the first time on that a group was
read.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spacy.tokens import Doc
from spacy.tokens._dict_proxies import SpanGroups

# Starts, ends, label hashes.
Spans = tuple[Sequence[int], Sequence[int], Sequence[int]]
NO_SPANS: Spans = ((), (), ())


class _NotedSpanGroups(SpanGroups):
    """`doc.spans`, which forgets what was read of a group that is taken out."""

    known: dict[str, tuple[Any, Spans]]

    def __getitem__(self, key: str) -> Any:
        self.known.pop(key, None)
        return super().__getitem__(key)


def group_spans(spans: Iterable) -> Spans:
    """Starts, ends and label hashes of Span objects, in order."""
    found = sorted((span.start, span.end, span.label) for span in spans)
    starts, ends, labels = zip(*found, strict=True) if found else NO_SPANS
    return starts, ends, labels


def note_spans(doc: Doc, key: str, spans: Spans) -> None:
    """Say what `read_spans` is to find, of a group that was made of just these spans,
    in order, and that nobody else has."""
    groups: Any = doc.spans
    if type(groups) is SpanGroups:
        groups.known = {}
        groups.__class__ = _NotedSpanGroups
    if type(groups) is _NotedSpanGroups:
        groups.known[key] = groups.data[key], spans


def read_spans(doc: Doc, key: str | None) -> Spans | None:
    """The spans under a key of `doc.spans`; None if there is no such key. As long as
    nothing changes, the answer is the same object."""
    groups: Any = doc.spans
    data = groups.data
    if key is None or key not in data:
        return None
    if type(groups) is _NotedSpanGroups:
        known = groups.known.get(key)
        if known is not None and known[0] is data[key]:
            return known[1]
    elif type(groups) is SpanGroups:
        groups.known = {}
        groups.__class__ = _NotedSpanGroups
    else:  # somebody else's, who may take groups out unnoticed
        return group_spans(data[key])
    groups.known.pop(key, None)
    spans = group_spans(data[key])
    if _holders(data, key) == _ALONE:
        groups.known[key] = data[key], spans
    return spans


def read_all_spans(docs: Sequence[Doc], key: str | None) -> list[Spans | None]:
    """What `read_spans` gives of each Doc, in a loop for those that did not change."""
    if key is None:
        return [None] * len(docs)
    found: list[Spans | None] = []
    for doc in docs:
        groups: Any = doc.spans
        data = groups.data
        if key not in data:
            found.append(None)
            continue
        known = groups.known.get(key) if type(groups) is _NotedSpanGroups else None
        if known is not None and known[0] is data[key]:
            found.append(known[1])
        else:
            found.append(read_spans(doc, key))
    return found


def known_spans(doc: Doc, key: str) -> Spans:
    """The spans under a key of `doc.spans`, read unless it is known what they are; none
    if there is no such key. Nothing is noted, and they may be in any order."""
    groups: Any = doc.spans
    if key not in groups.data:
        return NO_SPANS
    known = groups.known.get(key) if type(groups) is _NotedSpanGroups else None
    if known is not None and known[0] is groups.data[key]:
        return known[1]
    return group_spans(groups.data[key])


def _holders(data: Mapping[Any, Any], key: Any) -> int:
    """References to a value: somebody may have taken it out earlier, and kept it."""
    return sys.getrefcount(data[key])


_ALONE = _holders({"": object()}, "")
