"""Reading chunks off label ids, for a whole batch of sentences at once.

The arrays are flat: the tokens of all sentences one after another, and the offsets of
the sentences, with the total as the last one.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .gaps import BEGINNING, ENDING, OUTSIDE, Gap, split_label

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]
Chunks = tuple[Ids, Ids, Ids]
"""Starts, ends (exclusive) and types, as positions in the flat arrays and type ids."""


class LabelReader:
    """The gaps and chunks that sequences of these labels stand for.

    Any mix of representations is read, as gap_between does for two labels.

    labels: The labels, in the order of their ids.
    types: The chunk types in the order of their ids; by default as they come.
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
        self.gap: NDArray[np.uint8] = self._gaps_between_labels()

    def _gaps_between_labels(self) -> NDArray[np.uint8]:
        ending = np.array([letter in ENDING for letter in self.letters], dtype=bool)
        beginning = np.array(
            [letter in BEGINNING for letter in self.letters], dtype=bool
        )
        same_type = self.type_of[:, None] == self.type_of[None, :]
        within = same_type & self.inside[:, None] & self.inside[None, :]
        split = ending[:, None] | beginning[None, :]
        return np.where(
            within, np.where(split, Gap.TOUCHING, Gap.JOINED), Gap.APART
        ).astype(np.uint8)

    def gaps(
        self, ids: Ids, offsets: Offsets
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The gap on the left and on the right of each token."""
        around = np.full(len(ids) + 1, Gap.APART, dtype=np.uint8)
        if len(ids) > 1:
            pairs = ids[:-1] * np.int32(len(self.letters))
            pairs += ids[1:]
            np.take(self.gap.ravel(), pairs, out=around[1:-1], mode="clip")
            around[offsets] = Gap.APART
        return around[:-1], around[1:]

    def chunks(self, ids: Ids, offsets: Offsets) -> Chunks:
        """The chunks of all sentences."""
        left, right = self.gaps(ids, offsets)
        inside = self.inside[ids]
        starts = np.flatnonzero(inside & (left != Gap.JOINED)).astype(np.int32)
        ends = np.flatnonzero(inside & (right != Gap.JOINED)).astype(np.int32)
        types = self.type_of[ids[starts]]
        ends += 1
        return starts, ends, types
