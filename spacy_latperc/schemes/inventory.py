"""The labels of a model as ids, with the tables that its decoder and learner need."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import Errors
from .decode import (
    ANY,
    OUTSIDE,
    SPLIT,
    Boundary,
    Chunks,
    Ids,
    LabelReader,
    Offsets,
    Span,
    ordered_spans,
)
from .representations import Scheme, get_scheme


class LabelInventory:
    """The labels of a representation over some chunk types.

    A decoder that starts in `starts`, moves along `transitions` and stops in `ends`
    gives exactly the sequences that Scheme.encode can write.

    Attributes:
        labels: The labels by id; id 0 is O.
        transitions: [L, L], true if the second label may follow the first.
        starts: [L], true if a sentence may start with the label.
        ends: [L], true if a sentence may end with the label.
        boundary: [L, L], true if a chunk ends or starts between the two labels.
        inside: [L], true if the label is not O.
        type_of: [L], the id of the label's type, -1 for O.
        lefts: [L], the boundaries that the label allows on its left.
        rights: [L], the boundaries that it allows on its right.
        letter_at: [left boundary, right boundary], the index of the letter among those
            of a type.
    """

    def __init__(self, scheme: Scheme | str, types: Sequence[str]):
        self.scheme: Scheme = get_scheme(scheme) if isinstance(scheme, str) else scheme
        self.types: list[str] = list(types)
        self.labels: list[str] = self.scheme.labels(self.types)
        self.index: dict[str, int] = {label: i for i, label in enumerate(self.labels)}
        self._reader = LabelReader(self.labels, self.types)
        self.inside: NDArray[np.bool_] = self._reader.inside
        self.type_of: Ids = self._reader.type_of
        sides = {OUTSIDE: (ANY, ANY), **self.scheme.letters}
        left, right = (
            np.array([sides[x][side] for x in self._reader.letters], dtype=np.uint8)
            for side in (0, 1)
        )
        self.lefts, self.rights = left, right
        between = self._reader.between
        self.transitions: NDArray[np.bool_] = (between & right[:, None] & left) != 0
        self.starts: NDArray[np.bool_] = (left & Boundary.APART) != 0
        self.ends: NDArray[np.bool_] = (right & Boundary.APART) != 0
        some_inside = self.inside[:, None] | self.inside
        self.boundary: NDArray[np.bool_] = (between != Boundary.JOINED) & some_inside
        self.letter_at: Ids = self._letter_positions()

    def __len__(self) -> int:
        return len(self.labels)

    def _letter_positions(self) -> Ids:
        """The table `letter_at`."""
        letters = list(self.scheme.letters)
        positions = np.zeros((Boundary.APART + 1, Boundary.APART + 1), dtype=np.int32)
        for left in Boundary:
            for right in Boundary:
                positions[left, right] = letters.index(self.scheme.letter(left, right))
        return positions

    def encode_ids(
        self,
        starts: ArrayLike,
        ends: ArrayLike,
        types: ArrayLike,
        n: int,
        *,
        offsets: ArrayLike | None = None,
    ) -> Ids:
        """Encode chunks of n tokens as label ids."""
        begin = np.asarray(starts, dtype=np.int64)
        order = np.argsort(begin, kind="stable")
        begin = begin[order]
        end = np.asarray(ends, dtype=np.int64)[order]
        type_ = np.asarray(types, dtype=np.int32)[order]
        self._check_chunks(begin, end, type_, n)
        touching = (end[:-1] == begin[1:]) & (type_[:-1] == type_[1:])
        if offsets is not None:
            at_sentence_start = np.zeros(n + 1, dtype=bool)
            at_sentence_start[np.asarray(offsets)] = True
            touching &= ~at_sentence_start[begin[1:]]
        outer = np.full(len(begin) + 1, Boundary.APART, dtype=np.uint8)
        outer[1:-1][touching] = Boundary.TOUCHING
        lengths = end - begin
        first_token = np.cumsum(lengths) - lengths
        left = np.full(int(lengths.sum()), Boundary.JOINED, dtype=np.uint8)
        right = left.copy()
        left[first_token] = outer[:-1]
        right[first_token + lengths - 1] = outer[1:]
        tokens = np.repeat(begin - first_token, lengths) + np.arange(len(left))
        ids = np.zeros(n, dtype=np.int32)
        base = 1 + np.repeat(type_, lengths) * len(self.scheme.letters)
        ids[tokens] = base + self.letter_at[left, right]
        return ids

    def _check_chunks(
        self,
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        types: NDArray[np.int32],
        n: int,
    ) -> None:
        known = (types >= 0) & (types < len(self.types))
        if not known.all():
            unknown = types[~known][0]
            raise ValueError(Errors.LP207.format(type=unknown, types=self.types))
        within = (starts >= 0) & (starts < ends) & (ends <= n)
        if not (within.all() and (ends[:-1] <= starts[1:]).all()):
            names = [self.types[type_] for type_ in types]
            ordered_spans(zip(starts.tolist(), ends.tolist(), names, strict=True), n)

    def decode_ids(self, ids: Ids, offsets: Offsets) -> Chunks:
        """Decode label ids of a batch into chunks: starts, ends, type ids.

        Invalid sequences are read leniently (see boundary_between).
        """
        return self._reader.chunks(ids, offsets)

    def forced_mask(self, spans: Iterable[Span], n: int) -> NDArray[np.uint8]:
        """A mask of the labels that are consistent with known chunks: [n, L].

        Every valid sequence within the mask has each span as a whole chunk. Other
        tokens are free, but cannot continue a known chunk. A label of IOB1 and IOE1
        does not always determine where a chunk ends, so a free token before (IOB1) or
        after (IOE1) a known chunk cannot have the same type.
        """
        chunks = ordered_spans(spans, n)
        sides = np.full(n + 1, ANY, dtype=np.uint8)
        known = np.full(n, -1, dtype=np.int32)
        for start, end, type_ in chunks:
            if type_ not in self.types:
                raise ValueError(Errors.LP207.format(type=type_, types=self.types))
            known[start:end] = self.types.index(type_)
            sides[start : end + 1] = SPLIT
            sides[start + 1 : end] = Boundary.JOINED
        for (_, end, type_), (start, _, next_type) in pairwise(chunks):
            if end == start:
                same = type_ == next_type
                sides[end] = Boundary.TOUCHING if same else Boundary.APART
        sides[[0, -1]] = Boundary.APART
        mask: NDArray[np.bool_] = (self.lefts & sides[:-1, None]) != 0
        mask &= (self.rights & sides[1:, None]) != 0
        held = known >= 0
        mask[held] &= self.type_of == known[held, None]
        joined = self._reader.between == Boundary.JOINED
        for start, end, _ in chunks:
            if start > 0 and not held[start - 1]:
                mask[start - 1] &= ~joined[:, mask[start]].any(axis=1)
            if end < n and not held[end]:
                mask[end] &= ~joined[mask[end - 1]].any(axis=0)
        return mask.astype(np.uint8)
