"""Sentences in little memory: arrays of word numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..kernels.text import FIRST_WORD, Vocabulary, sentence_hashes


@dataclass(frozen=True)
class Sentences:
    """Sentences over a vocabulary: number s has ids[bounds[s]:bounds[s + 1]].

    Args:
        vocabulary: The words by number.
        ids: The numbers of all words, sentence after sentence.
        bounds: The first word of each sentence, and the end.
    """

    vocabulary: Vocabulary
    ids: NDArray[np.int32]
    bounds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of words in each sentence."""
        return np.diff(self.bounds)

    def hashes(self) -> NDArray[np.uint64]:
        """The hash of each sentence."""
        return sentence_hashes(self.ids, self.bounds)

    def words(self, number: int) -> list[str]:
        """The words of a sentence."""
        start, end = self.bounds[number], self.bounds[number + 1]
        return self.vocabulary.words_of(self.ids[start:end])

    def __iter__(self) -> Iterator[list[str]]:
        for number in range(len(self)):
            yield self.words(number)

    def renamed(
        self, change: Callable[[str], str], vocabulary: Vocabulary
    ) -> Sentences:
        """Replace the words of the sentences.

        Args:
            change: A function from a word to its replacement, called once per word.
            vocabulary: The vocabulary, to which the new words are added.
        """
        place = np.arange(self.vocabulary.size, dtype=np.int32)
        for number in range(FIRST_WORD, self.vocabulary.size):
            place[number] = vocabulary.add(change(self.vocabulary.word(number)))
        return Sentences(vocabulary, place[self.ids], self.bounds)

    def take(self, numbers: NDArray[np.int64]) -> Sentences:
        """These sentences, in this order."""
        lengths = self.lengths[numbers]
        bounds = bounds_of(lengths)
        shifts = self.bounds[numbers] - bounds[:-1]
        where = np.arange(bounds[-1]) + np.repeat(shifts, lengths)
        return Sentences(self.vocabulary, self.ids[where], bounds)

    def slice(self, first: int, last: int) -> Sentences:
        """The sentences from `first` up to `last`, which may lie past the end."""
        bounds = self.bounds[first : last + 1]
        start, end = bounds[0], bounds[-1]
        return Sentences(self.vocabulary, self.ids[start:end], bounds - start)

    def where(self, mask: NDArray[np.bool_]) -> Sentences:
        """The sentences selected by a mask."""
        lengths = self.lengths
        ids = self.ids[np.repeat(mask, lengths)]
        return Sentences(self.vocabulary, ids, bounds_of(lengths[mask]))


def bounds_of(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The offsets of sentences of these lengths."""
    bounds = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=bounds[1:])
    return bounds


def from_ids(
    vocabulary: Vocabulary, sentences: Sequence[NDArray[np.int32]]
) -> Sentences:
    """Create sentences from lists of ids."""
    lengths = np.asarray([len(ids) for ids in sentences], dtype=np.int64)
    ids = np.concatenate([*sentences, np.zeros(0, np.int32)]).astype(np.int32)
    return Sentences(vocabulary, ids, bounds_of(lengths))


def join(vocabulary: Vocabulary, parts: Sequence[Sentences]) -> Sentences:
    """Concatenate sentences over one vocabulary."""
    if len(parts) == 1:
        return parts[0]
    ids = [part.ids for part in parts]
    lengths = [part.lengths for part in parts]
    return Sentences(
        vocabulary,
        np.concatenate([*ids, np.zeros(0, np.int32)]),
        bounds_of(np.concatenate([*lengths, np.zeros(0, np.int64)])),
    )


def first_of_each(hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The numbers of the sentences that do not repeat an earlier one, in order."""
    _, first = np.unique(hashes, return_index=True)
    return np.sort(first).astype(np.int64)
