"""What is kept of training examples between passes over the same corpus."""

import weakref
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import ORTH
from spacy.tokens import Doc
from spacy.training import Example

from ..data.span_reads import version
from ..kernels.chains import FeatureBlock, fingerprints
from ..learners.base import Batch

Gold = NDArray[np.int32]


class Seen(weakref.ref):
    """What is kept of an example, for as long as its reference Doc lives.

    It is the weak reference to that Doc as well: the garbage collector walks over all
    objects that are kept again and again, so that there is one for each example.

    Attributes:
        key: The id of the Doc.
        nbytes: The memory of what is kept.
        fingerprint: Of the columns that its features were made of.
        features: Its features.
        same_tokens: Whether both of its sides have the same tokens.
        state: What tells, by ==, that the gold is as it was when it was read.
        gold: The label ids; None where they are read in each pass.
        version: The gold is as it was as long as this is still the `version` of
            data/span_reads.py; None if that does not tell.
    """

    __slots__ = (
        "features", "fingerprint", "gold", "key", "nbytes", "same_tokens", "state",
        "version",
    )  # fmt: skip

    key: int
    nbytes: int
    fingerprint: int
    features: FeatureBlock
    same_tokens: bool
    state: object | None
    gold: Gold | None
    version: object | None


class DocCache:
    """What is kept of Docs, for as long as each of them lives; bounded in bytes.

    A copy starts empty: feature ids mean something to one learner only.
    """

    def __init__(self, limit: int = 1 << 30):
        self.limit = limit
        self._ended = self._drop_ended  # one object for all references
        self.clear()

    def clear(self) -> None:
        """Keep nothing."""
        self._entries: dict[int, Seen] = {}
        self.nbytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def of(self, docs: Sequence[Doc]) -> list[Seen | None]:
        """What is kept of Docs."""
        get = self._entries.get
        return [get(id(doc)) for doc in docs]

    def add(self, doc: Doc, nbytes: int) -> Seen:
        """A new place for what is to be kept of a Doc. It is not kept if it takes more
        bytes than the limit leaves."""
        key = id(doc)
        self._drop(key)
        seen = Seen(doc, self._ended)
        seen.key, seen.nbytes = key, nbytes
        seen.state = seen.gold = seen.version = None
        if self.nbytes + nbytes <= self.limit:
            self._entries[key] = seen
            self.nbytes += nbytes
        return seen

    def _drop_ended(self, seen: Seen) -> None:
        """Called before the id of the Doc can be that of another object."""
        if self._entries.get(seen.key) is seen:
            self._drop(seen.key)

    def _drop(self, key: int) -> None:
        seen = self._entries.pop(key, None)
        if seen is not None:
            self.nbytes -= seen.nbytes

    def __reduce__(self) -> tuple:
        return type(self), (self.limit,)


class Source(NamedTuple):
    """Where features and gold come from if they are not known.

    Attributes:
        extract: Makes the features of each Doc of a batch.
        states: Of reference Docs, what tells, by ==, that the gold is as it was; None
            where that is not to be known.
        watch: Whether the gold of a Doc cannot change, from now on, unless `version` of
            data/span_reads.py does, or its user data are some. Asked after its state.
        read: Reads the gold of examples, given which of them have the same tokens on
            both sides, and their batch.
    """

    extract: Callable[[Batch], list[FeatureBlock]]
    states: Callable[[Sequence[Doc]], Sequence[object | None]]
    watch: Callable[[Doc], bool]
    read: Callable[[Sequence[Example], Sequence[bool], Batch], Gold]


class TrainingMemory:
    """Features and gold of the examples of a pass, for the next one.

    Both are of the weights that they were made for, and of one place of the gold:
    `generation` is another whenever these are replaced.
    """

    def __init__(self) -> None:
        self._seen = DocCache()
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
        source: Source,
    ) -> tuple[list[FeatureBlock], Gold]:
        """The features of each example and the gold of all, made or read again only
        where columns or annotation have changed."""
        if self._generation != generation:
            self.clear()
            self._generation = generation
        references = [example.reference for example in examples]
        seen = self._with_features(references, batch, source)
        gold = _gold_of(examples, references, seen, batch, source)
        return [entry.features for entry in seen], gold

    def _with_features(
        self, references: Sequence[Doc], batch: Batch, source: Source
    ) -> list[Seen]:
        """What is kept of examples, with the features of now."""
        marks = fingerprints(batch.values, batch.docs).tolist()
        known = self._seen.of(references)
        missing = [
            number
            for number, (entry, mark) in enumerate(zip(known, marks, strict=True))
            if entry is None or entry.fingerprint != mark
        ]
        if missing:
            part = some_docs(batch, missing)
            docs = [references[number] for number in missing]
            same = have_words(docs, part)
            blocks = source.extract(part)
            for number, block, equal in zip(missing, blocks, same, strict=True):
                size = block.nbytes + 4 * block.n_tokens
                entry = self._seen.add(references[number], size)
                entry.fingerprint, entry.features = marks[number], block
                entry.same_tokens = equal
                known[number] = entry
        return [entry for entry in known if entry is not None]


def _gold_of(
    examples: Sequence[Example],
    references: Sequence[Doc],
    seen: Sequence[Seen],
    batch: Batch,
    source: Source,
) -> Gold:
    """The gold of examples, read where it may have changed and is not as it was."""
    golds = [entry.gold for entry in seen]
    now = version()
    doubtful = [
        number
        for number, (entry, doc) in enumerate(zip(seen, references, strict=True))
        if entry.version is not now or doc.user_data
    ]
    states = source.states([references[number] for number in doubtful])
    changed = {
        number: state
        for number, state in zip(doubtful, states, strict=True)
        if golds[number] is None or state != seen[number].state
    }
    if changed:
        part = some_docs(batch, list(changed))
        some = [examples[number] for number in changed]
        same = [seen[number].same_tokens for number in changed]
        fresh = np.split(source.read(some, same, part), part.docs[1:-1])
        for (number, state), gold in zip(changed.items(), fresh, strict=True):
            golds[number] = gold
            known = seen[number].same_tokens and state is not None
            seen[number].state = state if known else None
            seen[number].gold = gold.copy() if known else None
    for number in doubtful:
        watched = seen[number].gold is not None and source.watch(references[number])
        seen[number].version = now if watched else None
    return np.concatenate([gold for gold in golds if gold is not None])


def have_words(docs: Sequence[Doc], batch: Batch) -> list[bool]:
    """Whether each of some Docs has the words of the Doc of a batch in its place."""
    words = np.ascontiguousarray(batch.values[:, 0])
    return [
        doc.to_array(ORTH).tobytes() == words[first:end].tobytes()
        for doc, (first, end) in zip(docs, pairwise(batch.docs.tolist()), strict=True)
    ]


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
