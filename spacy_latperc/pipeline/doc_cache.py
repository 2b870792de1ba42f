"""What is kept of training Docs between passes over the same corpus."""

import weakref
from typing import Generic, TypeVar

from spacy.tokens import Doc

Value = TypeVar("Value")


class DocCache(Generic[Value]):
    """Values by Doc, each for as long as its Doc lives; bounded in bytes.

    A copy starts empty: feature ids mean something to one learner only.
    """

    def __init__(self, limit: int = 1 << 30):
        self.limit = limit
        self.clear()

    def clear(self) -> None:
        self._entries: dict[int, tuple[_DocRef, Value, int]] = {}
        self.nbytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, doc: Doc) -> Value | None:
        entry = self._entries.get(id(doc))
        return entry[1] if entry is not None else None

    def put(self, doc: Doc, value: Value, *, nbytes: int = 0) -> None:
        """Keep a value, unless it would take more bytes than the limit leaves."""
        self._drop(id(doc))
        if self.nbytes + nbytes > self.limit:
            return
        reference = _DocRef(doc, self._drop_ended)
        reference.key = id(doc)
        self._entries[id(doc)] = (reference, value, nbytes)
        self.nbytes += nbytes

    def _drop_ended(self, reference: "_DocRef") -> None:
        """Called before the id of the Doc can be that of another object."""
        self._drop(reference.key)

    def _drop(self, key: int) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.nbytes -= entry[2]

    def __reduce__(self) -> tuple:
        return type(self), (self.limit,)


class _DocRef(weakref.ref):
    """A weak reference that knows its key: few objects per Doc, since the garbage
    collector walks over all of them again and again."""

    __slots__ = ("key",)
    key: int
