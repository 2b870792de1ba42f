"""Gold spans of reference Docs, read again only after they may have changed.

To make the Span objects of a group takes spaCy nearly as long as it takes us to learn
from them: where all are read in every pass, an epoch over 95,000 tokens of CoNLL-2000
takes 0.34 s in place of 0.23 s, and `to_bytes` of a group is 25 times slower still. A
group does not tell when it changes, but whoever changes it must take it out of
`doc.spans` first. So that is what is noticed, from the first time on that a group was
read.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.tokens._dict_proxies import SpanGroups

# Starts, ends, label hashes.
Spans = tuple[Sequence[int], Sequence[int], Sequence[int]]
NO_SPANS: Spans = ((), (), ())


class _NotedSpanGroups(SpanGroups):
    """`doc.spans`, which forgets what was read of a group that is taken out.

    Attributes:
        known: By key, the group and what was read of it; for one that was only
            written, a dict without any that all share.
        written: A group that a component wrote.
        rows: Start, end and label hash of its spans. An array, since thousands of them
            live for a moment only, and each object that may refer to others brings the
            next garbage collection nearer.
    """

    known: dict[str, tuple[Any, Spans]] = {}
    written: Any = None
    rows: Any = None

    def __getitem__(self, key: str) -> Any:
        if self.known.pop(key, None) is not None:
            _tell()
        if self.written is not None:
            self.written = self.rows = None
        return super().__getitem__(key)


class _WatchedGroups(dict):
    """The groups of a Doc that is watched: `version` tells that they have changed."""

    __slots__ = ()


def _telling(name: str) -> Callable:
    change = getattr(dict, name)

    def changed(self: _WatchedGroups, *args: Any, **kwargs: Any) -> Any:
        _tell()
        return change(self, *args, **kwargs)

    return wraps(change)(changed)


for _name in (
    "__setitem__", "__delitem__", "__ior__", "clear", "pop", "popitem", "setdefault",
    "update",
):  # fmt: skip
    setattr(_WatchedGroups, _name, _telling(_name))

_version = object()


def version() -> object:
    """The same object as long as no spans of a watched Doc can have changed."""
    return _version


def _tell() -> None:
    global _version
    _version = object()


def watch(doc: Doc, keys: Iterable[str | None]) -> bool:
    """Let `version` tell when spans of a Doc change that were read before.

    Args:
        doc: The Doc.
        keys: Of `doc.spans`; not all need be there.

    Returns:
        False where somebody else may change them unnoticed.
    """
    groups: Any = doc.spans
    if type(groups) is not _NotedSpanGroups:
        return False
    for key in keys:
        if key is not None and key in groups.data:
            known = groups.known.get(key)
            if known is None or known[0] is not groups.data[key]:
                return False
    if type(groups.data) is dict:
        groups.data = _WatchedGroups(groups.data)
    return type(groups.data) is _WatchedGroups


def group_spans(spans: Iterable) -> Spans:
    """Starts, ends and label hashes of Span objects, in order."""
    found = sorted((span.start, span.end, span.label) for span in spans)
    starts, ends, labels = zip(*found, strict=True) if found else NO_SPANS
    return starts, ends, labels


def note_spans(doc: Doc, key: str, spans: Spans) -> None:
    """Say what `read_spans` is to find, of a group that was made of just these spans,
    in order, and that nobody else has."""
    groups: Any = doc.spans
    if _may_note(groups):
        groups.known[key] = groups.data[key], spans


def note_written(doc: Doc, key: str, rows: NDArray[np.uint64]) -> None:
    """Say what `known_spans` is to find, of a group that was made of just these spans
    and that nobody else has.

    Args:
        doc: The Doc.
        key: Of the group.
        rows: Start, end and label hash of each span.
    """
    groups: Any = doc.spans
    if type(groups) is SpanGroups:
        groups.__class__ = _NotedSpanGroups
    if type(groups) is _NotedSpanGroups:
        groups.written, groups.rows = groups.data[key], rows


def _may_note(groups: Any) -> bool:
    """Whether groups that are taken out are noticed, from now on at least."""
    if type(groups) is SpanGroups:
        groups.__class__ = _NotedSpanGroups
    if type(groups) is not _NotedSpanGroups:  # somebody else's
        return False
    if groups.known is _NotedSpanGroups.known:
        groups.known = {}
    return True


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
    if not _may_note(groups):
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


def known_spans(doc: Doc, key: str) -> set[tuple[int, int, int]]:
    """Start, end and label hash of the spans under a key of `doc.spans`, read unless it
    is known what they are; none if there is no such key. Nothing is noted."""
    groups: Any = doc.spans
    group = groups.data.get(key)
    if group is None:
        return set()
    if type(groups) is _NotedSpanGroups and groups.written is group:
        return set(map(tuple, groups.rows.tolist()))
    return {(span.start, span.end, span.label) for span in group}


def _holders(data: Mapping[Any, Any], key: Any) -> int:
    """References to a value: somebody may have taken it out earlier, and kept it."""
    return sys.getrefcount(data[key])


_ALONE = _holders({"": object()}, "")
