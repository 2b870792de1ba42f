"""Negatives made from real sentences: a swap, deletion, insertion or substitution."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...errors.check import split_shares
from ...text.sentences import Sentences, from_ids
from ..rng import fractions

# The length of the source minus that of the result.
KINDS = {"swap": 0, "deletion": 1, "insertion": -1, "substitution": 0, "tag": 0}
TRIES = 10

Accept = Callable[[Sentences], NDArray[np.bool_]]
Ids = NDArray[np.int32]


def read_shares(text: str) -> dict[str, float]:
    """Parse shares such as "swap=0.2,deletion=0.1"; n-gram samples get the rest."""
    shares: dict[str, float] = {}
    for part, name, share in split_shares(text):
        shares[name] = share
        if name not in KINDS or not 0 <= share <= 1:
            known = ", ".join(KINDS)
            raise ValueError(Errors.LP412.format(part=part, known=known))
    if sum(shares.values()) > 1 + 1e-9:
        raise ValueError(Errors.LP413.format(total=sum(shares.values())))
    return shares


@dataclass(frozen=True)
class Noise:
    """Words to insert, drawn by frequency.

    Args:
        words: Every token of the text.
        by_tag: The tokens with each tag, if tags are known.
    """

    words: Ids
    by_tag: Mapping[int, Ids]

    @classmethod
    def of(cls, text: Sentences) -> "Noise":
        """Collect the words of a text."""
        by_tag = {}
        if text.tags is not None:
            order = np.argsort(text.tags, kind="stable")
            tags, begins = np.unique(text.tags[order], return_index=True)
            groups = np.split(text.ids[order], begins[1:])
            by_tag = {int(t): ids for t, ids in zip(tags, groups, strict=True)}
        return cls(text.ids, by_tag)

    def make(
        self, kind: str, source: Ids, tags: Ids | None, chances: NDArray[np.float64]
    ) -> Ids | None:
        """Make a sentence with one error.

        Args:
            kind: One of KINDS.
            source: The sentence.
            tags: The tags of its words, if they are known.
            chances: Two random numbers in [0, 1), for the position and the word.

        Returns:
            The new sentence; None if nothing would change.
        """
        n = len(source)
        where = int(chances[0] * n)
        if kind == "swap":
            where = int(chances[0] * (n - 1))
            if n < 2 or source[where] == source[where + 1]:
                return None
            made = source.copy()
            made[[where, where + 1]] = source[[where + 1, where]]
            return made
        if kind == "deletion":
            return np.delete(source, where) if n > 1 else None
        if kind == "insertion":
            where = int(chances[0] * (n + 1))
            return np.insert(source, where, _pick(self.words, chances[1]))
        pool = self.words
        if kind == "tag":
            if tags is None:
                raise ValueError(Errors.LP414)
            pool = self.by_tag[int(tags[where])]
        word = _pick(pool, chances[1])
        if word == source[where]:
            return None
        made = source.copy()
        made[where] = word
        return made


def _pick(pool: Ids, chance: float) -> int:
    return int(pool[int(chance * len(pool))])


def fill_with_noise(
    sources: Sentences,
    noise: Noise,
    kind: str,
    lengths: NDArray[np.int64],
    *,
    seeds: Sequence[int],
    accept: Accept,
) -> tuple[Sentences, NDArray[np.int64]]:
    """Make one noisy sentence for each place, of the length for the place.

    Args:
        sources: Real sentences.
        noise: Words to insert.
        kind: One of KINDS.
        lengths: The length for each place.
        seeds: Seeds; equal seeds give equal sentences.
        accept: A filter of sentences.

    Returns:
        The sentences and their places. A place stays empty if no source has the length
        or all tries were refused.
    """
    by_length = _by_length(sources)
    waiting = np.arange(len(lengths), dtype=np.int64)
    found: list[Ids] = []
    places: list[int] = []
    for number in range(TRIES):
        chances = fractions(3 * len(waiting), *seeds, number).reshape(-1, 3)
        made: list[Ids] = []
        made_for: list[int] = []
        for place, chance in zip(waiting, chances, strict=True):
            pool = by_length.get(int(lengths[place]) + KINDS[kind])
            if pool is None:
                continue
            start, end = _span(sources, int(pool[int(chance[0] * len(pool))]))
            tags = None if sources.tags is None else sources.tags[start:end]
            result = noise.make(kind, sources.ids[start:end], tags, chance[1:])
            if result is not None:
                made.append(result)
                made_for.append(int(place))
        accepted = accept(from_ids(sources.vocabulary, made))
        found += [ids for ids, good in zip(made, accepted, strict=True) if good]
        places += [p for p, good in zip(made_for, accepted, strict=True) if good]
        waiting = np.setdiff1d(np.arange(len(lengths)), places)
        if not len(waiting):
            break
    numbers = np.asarray(places, dtype=np.int64)
    return from_ids(sources.vocabulary, found), numbers


def _span(sentences: Sentences, number: int) -> tuple[int, int]:
    return int(sentences.bounds[number]), int(sentences.bounds[number + 1])


def _by_length(sentences: Sentences) -> dict[int, NDArray[np.int64]]:
    lengths = sentences.lengths
    order = np.argsort(lengths, kind="stable")
    found, begins = np.unique(lengths[order], return_index=True)
    groups = np.split(order, begins[1:])
    return {int(n): group for n, group in zip(found, groups, strict=True)}
