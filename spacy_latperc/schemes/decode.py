"""Decoding of labels into chunks (start, end, type): a sentence of strings, or a batch
of sentences as ids.

Every chunk representation is a way to write the boundaries between neighbouring tokens,
so encoding, decoding, validation and repair all build on these.

The arrays of a batch are flat: the tokens of all sentences one after another, and the
offsets of the sentences, with the total as the last one.
"""

from collections.abc import Iterable, Sequence
from enum import IntFlag
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors

OUTSIDE = "O"
BEGINNING = frozenset("BSU")
ENDING = frozenset("ELSU")
LETTERS = frozenset("BIELSU")


class Boundary(IntFlag):
    """The boundary on one side of a token that is inside a chunk."""

    JOINED = 1
    """The neighbour is in the same chunk."""
    TOUCHING = 2
    """The neighbour is in another chunk, of the same type."""
    APART = 4
    """The neighbour is outside, in a chunk of another type, or there is none."""


SPLIT = Boundary.TOUCHING | Boundary.APART
ANY = Boundary.JOINED | SPLIT


def split_label(label: str) -> tuple[str, str]:
    """The letter and the type of a label; ("O", "") for the outside label.

    Types may contain hyphens: only the first one separates.
    """
    if label == OUTSIDE:
        return OUTSIDE, ""
    letter, hyphen, type_ = label.partition("-")
    if not (hyphen and type_ and letter in LETTERS):
        raise ValueError(Errors.LP202.format(label=label))
    return letter, type_


def boundary_between(before: str, after: str) -> Boundary:
    """The boundary between two neighbouring labels of any representation.

    This is the lenient reading of the CoNLL scoring script: B, S and U begin a
    chunk, E, L, S and U end one, and a change of type or an O is a border by itself.
    """
    letter_before, type_before = split_label(before)
    letter_after, type_after = split_label(after)
    if OUTSIDE in (letter_before, letter_after) or type_before != type_after:
        return Boundary.APART
    if letter_before in ENDING or letter_after in BEGINNING:
        return Boundary.TOUCHING
    return Boundary.JOINED


# Looking up an enum member takes as long as an operation on a short array.
JOINED, TOUCHING, APART = map(int, (Boundary.JOINED, Boundary.TOUCHING, Boundary.APART))

# Texts of up to this many tokens are decoded without arrays.
SHORT = 32

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]
Chunks = tuple[Ids, Ids, Ids]
"""Starts, ends (exclusive) and types, as positions in the flat arrays and type ids."""


Span = tuple[int, int, str]


def ordered_spans(spans: Iterable[Span], n: int) -> list[Span]:
    """Sort spans by start. Empty, overlapping or outlying spans are an error."""
    chunks = sorted((start, end, type_) for start, end, type_ in spans)
    for start, end, type_ in chunks:
        if not 0 <= start < end <= n:
            raise ValueError(Errors.LP205.format(start=start, end=end, type=type_, n=n))
    for first, second in pairwise(chunks):
        if first[1] > second[0]:
            raise ValueError(Errors.LP204.format(first=first, second=second))
    return chunks


def read_spans(labels: Sequence[str]) -> list[Span]:
    """Decode labels of any representation, or of a mix, into chunks."""
    padded = [OUTSIDE, *labels, OUTSIDE]
    boundaries = [boundary_between(*pair) for pair in pairwise(padded)]
    spans = []
    start = 0
    for token, label in enumerate(labels):
        if boundaries[token] != JOINED:
            start = token
        if label != OUTSIDE and boundaries[token + 1] != JOINED:
            spans.append((start, token + 1, split_label(label)[1]))
    return spans


class LabelReader:
    """A decoder of label sequences into boundaries and chunks.

    It reads any mix of representations (see boundary_between).

    Args:
        labels: The labels, in the order of their ids.
        types: The chunk types in the order of their ids; by default as they appear.
    """

    def __init__(self, labels: Sequence[str], types: Sequence[str] | None = None):
        pairs = [split_label(label) for label in labels]
        if types is None:
            types = list(dict.fromkeys(type_ for _, type_ in pairs if type_))
        ids = {type_: i for i, type_ in enumerate(types)}
        self.types: list[str] = list(types)
        self.letters: list[str] = [letter for letter, _ in pairs]
        self.inside: NDArray[np.bool_] = np.array(
            [letter != OUTSIDE for letter in self.letters], dtype=bool
        )
        self.type_of: Ids = np.array(
            [ids.get(type_, -1) for _, type_ in pairs], dtype=np.int32
        )
        self.between: NDArray[np.uint8] = self._boundaries_between_labels()
        self._is_inside: list[bool] = self.inside.tolist()
        self._types_of: list[int] = self.type_of.tolist()
        self._joined: list[list[bool]] = (self.between == JOINED).tolist()

    def _boundaries_between_labels(self) -> NDArray[np.uint8]:
        ending = np.array([letter in ENDING for letter in self.letters], dtype=bool)
        beginning = np.array(
            [letter in BEGINNING for letter in self.letters], dtype=bool
        )
        same_type = self.type_of[:, None] == self.type_of[None, :]
        within = same_type & self.inside[:, None] & self.inside[None, :]
        split = ending[:, None] | beginning[None, :]
        return np.where(within, np.where(split, TOUCHING, JOINED), APART).astype(
            np.uint8
        )

    def boundaries(
        self, ids: Ids, offsets: Offsets
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The boundary on the left and on the right of each token."""
        around = np.empty(len(ids) + 1, dtype=np.uint8)
        around.fill(APART)
        if len(ids) > 1:
            pairs = ids[:-1] * np.int32(len(self.letters))
            pairs += ids[1:]
            np.take(self.between.ravel(), pairs, out=around[1:-1], mode="clip")
            around[offsets] = APART
        return around[:-1], around[1:]

    def chunks(self, ids: Ids, offsets: Offsets) -> Chunks:
        """The chunks of all sentences."""
        if len(ids) <= SHORT:
            return self._few_chunks(ids.tolist(), offsets.tolist())
        left, right = self.boundaries(ids, offsets)
        inside = self.inside[ids]
        starts = (inside & (left != JOINED)).nonzero()[0].astype(np.int32)
        ends = (inside & (right != JOINED)).nonzero()[0].astype(np.int32)
        types = self.type_of[ids[starts]]
        ends += 1
        return starts, ends, types

    def _few_chunks(self, ids: list[int], offsets: list[int]) -> Chunks:
        """Decode few tokens, for which Python is faster than array operations."""
        first_tokens = set(offsets)
        starts: list[int] = []
        ends: list[int] = []
        types: list[int] = []
        before = 0
        is_open = False
        for token, label in enumerate(ids):
            if token in first_tokens or not self._joined[before][label]:
                if is_open:
                    ends.append(token)
                is_open = self._is_inside[label]
                if is_open:
                    starts.append(token)
                    types.append(self._types_of[label])
            before = label
        if is_open:
            ends.append(len(ids))
        return (
            np.array(starts, dtype=np.int32),
            np.array(ends, dtype=np.int32),
            np.array(types, dtype=np.int32),
        )
