"""What is kept of training examples between passes over the same corpus."""

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example

from ..kernels.chains import FeatureBlock, fingerprints
from ..learners.base import Batch
from .docs import same_tokens

Value = TypeVar("Value")
Gold = NDArray[np.int32]


class DocCache(Generic[Value]):
    """Values by Doc, each for as long as its Doc lives; bounded in bytes.

    A copy starts empty: feature ids mean something to one learner only.
    """

    def __init__(self, limit: int = 1 << 30):
        self.limit = limit
        self.clear()

    def clear(self) -> None:
        """Keep nothing."""
        self._entries: dict[int, tuple[_DocRef, Value, int]] = {}
        self.nbytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, doc: Doc) -> Value | None:
        """What is kept of a Doc."""
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


@dataclass(slots=True)
class Seen:
    """What is kept of an example.

    Attributes:
        fingerprint: Of the columns that its features were made of.
        features: Its features.
        same_tokens: Whether both of its sides have the same tokens.
        state: What tells, by ==, that the gold is as it was when it was read.
        gold: The label ids.
    """

    fingerprint: int
    features: FeatureBlock
    same_tokens: bool
    state: object | None = None
    gold: Gold | None = None


class TrainingMemory:
    """Features and gold of the examples of a pass, for the next one.

    Both are of the weights that they were made for: `generation` is another object
    whenever these are replaced.
    """

    def __init__(self) -> None:
        self._seen: DocCache[Seen] = DocCache()
        self._generation: object = None

    def clear(self) -> None:
        """Keep nothing."""
        self._seen.clear()

    def __len__(self) -> int:
        return len(self._seen)

    def recall(
        self,
        examples: Sequence[Example],
        batch: Batch,
        generation: object,
        extract: Callable[[Batch], list[FeatureBlock]],
    ) -> list[Seen]:
        """What is kept of examples; features are made where columns have changed."""
        if self._generation is not generation:
            self.clear()
            self._generation = generation
        marks = fingerprints(batch.values, batch.docs).tolist()
        known = [self._seen.get(example.reference) for example in examples]
        missing = [
            i
            for i, (entry, mark) in enumerate(zip(known, marks, strict=True))
            if entry is None or entry.fingerprint != mark
        ]
        if missing:
            blocks = extract(some_docs(batch, missing))
            for i, block in zip(missing, blocks, strict=True):
                entry = Seen(marks[i], block, same_tokens(examples[i]))
                size = block.nbytes + 4 * block.n_tokens
                self._seen.put(examples[i].reference, entry, nbytes=size)
                known[i] = entry
        return [entry for entry in known if entry is not None]


def known_gold(
    examples: Sequence[Example],
    seen: Sequence[Seen],
    batch: Batch,
    state_of: Callable[[Doc], object | None],
    read: Callable[[Sequence[Example], Sequence[bool], Batch], Gold],
) -> Gold:
    """Gold label ids, from the last pass where the annotation is the same."""
    golds: list[Gold | None] = []
    states = []
    for example, entry in zip(examples, seen, strict=True):
        state = state_of(example.reference) if entry.same_tokens else None
        states.append(state)
        known = state is not None and state == entry.state
        golds.append(entry.gold if known else None)
    missing = [i for i, gold in enumerate(golds) if gold is None]
    if missing:
        part = some_docs(batch, missing)
        same = [seen[i].same_tokens for i in missing]
        fresh = read([examples[i] for i in missing], same, part)
        for i, gold in zip(missing, np.split(fresh, part.docs[1:-1]), strict=True):
            golds[i] = gold
            if states[i] is not None:
                seen[i].state, seen[i].gold = states[i], gold.copy()
    return np.concatenate([gold for gold in golds if gold is not None])


def some_docs(batch: Batch, numbers: Sequence[int]) -> Batch:
    """Some Docs of a batch."""
    if len(numbers) == len(batch.docs) - 1:
        return batch
    pieces = [np.arange(batch.docs[i], batch.docs[i + 1]) for i in numbers]
    docs = np.zeros(len(pieces) + 1, dtype=np.int64)
    np.cumsum([len(piece) for piece in pieces], out=docs[1:])
    tokens = np.concatenate(pieces)
    lists = batch.lists.take(tokens) if batch.lists else None
    return Batch(batch.values[tokens], docs, batch.lookup, lists=lists)
