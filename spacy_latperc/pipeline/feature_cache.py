"""A cache of the features of training examples, from one epoch to the next."""

import weakref
from collections.abc import Callable, Sequence

from spacy.tokens import Doc

from ..kernels.chains import FeatureBlock, fingerprints
from ..learners.base import Batch

Extract = Callable[[Batch], list[FeatureBlock]]


class _Entry(weakref.ref):
    """The features of an example, and the weak reference to its reference Doc.

    Both are one object, since the garbage collector walks over every entry.
    """

    __slots__ = ("features", "fingerprint", "key", "nbytes")

    key: int
    fingerprint: int
    features: FeatureBlock
    nbytes: int


class FeatureCache:
    """The features of examples, each kept for as long as its reference Doc lives.

    spaCy copies the predicted Doc in every epoch, and components before this one may
    annotate it differently: an entry is used only while the columns that the templates
    read have the same fingerprint. Call `clear` to free the memory earlier.

    A copy of a cache is empty, since feature ids belong to one learner.

    Args:
        limit: The most bytes that the features may take. What exceeds it is extracted
            anew in every epoch.
    """

    def __init__(self, limit: int = 1 << 30):
        self.limit = limit
        self._drop_dead = self._drop  # one bound method for all references
        self.clear()

    def clear(self) -> None:
        """Remove all features."""
        self._entries: dict[int, _Entry] = {}
        self._generation: object = None
        self.nbytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __reduce__(self) -> tuple:
        return type(self), (self.limit,)

    def features(
        self,
        references: Sequence[Doc],
        batch: Batch,
        generation: object,
        extract: Extract,
    ) -> list[FeatureBlock]:
        """Return the features of each example, extracted where they are not known.

        Args:
            references: The reference Docs.
            batch: The columns of the predicted Docs.
            generation: An object that is replaced when weights are loaded: features
                from before are removed then.
            extract: Extracts the features of each Doc of a batch.
        """
        if self._generation is not generation:
            self.clear()
            self._generation = generation
        marks = fingerprints(batch.values, batch.docs).tolist()
        get = self._entries.get
        known = [get(id(doc)) for doc in references]
        found = [
            entry.features if entry is not None and entry.fingerprint == mark else None
            for entry, mark in zip(known, marks, strict=True)
        ]
        missing = [number for number, block in enumerate(found) if block is None]
        if missing:
            blocks = extract(batch.some_docs(missing))
            for number, block in zip(missing, blocks, strict=True):
                self._add(references[number], marks[number], block)
                found[number] = block
        return [block for block in found if block is not None]

    def _add(self, doc: Doc, fingerprint: int, features: FeatureBlock) -> None:
        """Keep features, unless the limit leaves no room for them."""
        self._drop(self._entries.get(id(doc)))
        nbytes = features.nbytes
        if self.nbytes + nbytes <= self.limit:
            entry = _Entry(doc, self._drop_dead)
            entry.key, entry.fingerprint = id(doc), fingerprint
            entry.features, entry.nbytes = features, nbytes
            self._entries[entry.key] = entry
            self.nbytes += nbytes

    def _drop(self, entry: _Entry | None) -> None:
        """Remove an entry; when a Doc ends, before another object can have its id."""
        if entry is not None and self._entries.get(entry.key) is entry:
            del self._entries[entry.key]
            self.nbytes -= entry.nbytes
