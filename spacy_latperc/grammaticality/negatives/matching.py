"""N-gram samples for negatives, matched to the lengths of positives or not."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...text.sentences import Sentences, first_of_each, join
from ..ngrams.ngram_model import NgramModel

Accept = Callable[[Sentences], NDArray[np.bool_]]
Progress = Callable[[int], None]

PORTION = 20_000
PATIENCE = 20  # batches in a row without a new sentence before giving up
MOST_DRAWN = 200  # samples for each sentence wanted


@dataclass(frozen=True)
class Filled:
    """The chosen samples."""

    sentences: Sentences
    places: NDArray[np.int64]
    drawn: int


def fill_places(
    model: NgramModel,
    lengths: NDArray[np.int64],
    *,
    matched: bool,
    seed: int,
    accept: Accept,
    shortest: int,
    longest: int,
    progress: Progress | None = None,
) -> Filled:
    """Draw samples until each place has one, all different.

    Places stay empty where the model does not give enough sentences of their length.
    """
    queues = _Queues(lengths if matched else np.zeros_like(lengths))
    seen: NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)
    parts: list[Sentences] = []
    places: list[NDArray[np.int64]] = []
    number = drawn = idle = 0
    while (
        queues.left and idle < PATIENCE and number < MOST_DRAWN * len(lengths) + PORTION
    ):
        n = int(min(PORTION, max(1000, 2 * queues.left)))
        samples, tries = model.sample(
            n, seed=seed, first=number, shortest=shortest, longest=longest
        )
        number += n
        drawn += tries
        samples = samples.where(accept(samples))
        samples = samples.take(first_of_each(samples.hashes()))
        samples = samples.where(~np.isin(samples.hashes(), seen))
        chosen, where = queues.serve(
            samples.lengths if matched else np.zeros(len(samples), dtype=np.int64)
        )
        samples = samples.take(chosen)
        seen = np.concatenate([seen, samples.hashes()])
        parts.append(samples)
        places.append(where)
        idle = 0 if len(samples) else idle + 1
        if progress:
            progress(len(samples))
    found = np.concatenate([*places, np.zeros(0, dtype=np.int64)])
    return Filled(join(model.vocabulary, parts), found, drawn)


class _Queues:
    """Queues of waiting places, one for each kind."""

    def __init__(self, kinds: NDArray[np.int64]) -> None:
        self._order = np.argsort(kinds, kind="stable")
        n_kinds = int(kinds.max(initial=0)) + 1
        counts = np.bincount(kinds, minlength=n_kinds)
        self._ends = np.cumsum(counts)
        self._next = self._ends - counts
        self.left = len(kinds)

    def serve(
        self, kinds: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the arrivals that get a place, in order, and their places."""
        known = np.flatnonzero(kinds < len(self._ends))
        kinds = kinds[known]
        order = np.argsort(kinds, kind="stable")
        ranks = np.empty(len(kinds), dtype=np.int64)
        counts = np.bincount(kinds, minlength=len(self._ends))
        begins = np.cumsum(counts) - counts
        ranks[order] = np.arange(len(kinds)) - begins[kinds[order]]
        at = self._next[kinds] + ranks
        served = at < self._ends[kinds]
        self._next = np.minimum(self._next + counts, self._ends)
        self.left -= int(served.sum())
        return known[served], self._order[at[served]]
