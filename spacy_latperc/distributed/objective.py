"""The objective of a batch learner, whose sentences are on several machines.

Each worker evaluates the sentences of its shards, over those of the pairs of a feature
and a label that its sentences can have. Values and slopes are added up in the order of
the shards: they are those of one machine but for rounding, and do not depend on the
number of machines.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels.likelihood import Objective
from ..learners.batch.gathering import Gathered
from ..learners.batch.shares import Vector

# By block: key and cell of each pair, one after the other.
Listed = list[tuple[NDArray[np.uint64], NDArray[np.uint32]]]
# Places of the pairs of a shard among those of all; sentences, tokens, bytes.
Begun = tuple[NDArray[np.int64], int, int, int]


class ShardObjective:
    """The sentences of a shard.

    Args:
        gathered: The shard.
        all_pairs: See `crf_batch`.
    """

    def __init__(self, gathered: Gathered, all_pairs: bool):
        self._gathered = gathered
        self._objective = self._make(all_pairs, None)

    def _make(self, all_pairs: bool, wanted: NDArray[np.uint8] | None) -> Objective:
        x = self._gathered
        return Objective(
            x.space,
            x.structure,
            x.blocks,
            x.gold,
            sets=x.sets,
            all_pairs=all_pairs,
            wanted=wanted,
        )

    def pairs(self) -> Listed:
        """Those of the sentences."""
        ones = np.ones(self._objective.n_pairs)
        found = []
        for b in range(len(self._gathered.structure.blocks)):
            keys, sizes, cells, _ = self._objective.rows(b, ones)
            found.append((np.repeat(keys, sizes), cells))
        return found

    def start(self, known: Listed) -> Begun:
        """Evaluate these pairs from now on, as far as the sentences can have them.

        Args:
            known: The pairs of all shards, by key and cell.

        Returns:
            The places of the pairs of this shard among them, and how many sentences,
            tokens and bytes there are.
        """
        self._objective = self._make(True, None)
        own = self.pairs()
        places, first = [], 0
        for mine, every in zip(own, known, strict=True):
            place = find_pairs(every, mine)
            places.append(np.where(place >= 0, place + first, -1))
            first += len(every[0])
        at = np.concatenate(places)
        self._objective = self._make(True, (at >= 0).astype(np.uint8))
        objective = self._objective
        return at[at >= 0], objective.n_sentences, objective.n_tokens, objective.nbytes

    def evaluate(self, w: Vector) -> tuple[float, int, Vector]:
        """The value at w, the first sentence that is not finite or -1, the slope."""
        slope = np.empty(self._objective.n_pairs)
        loss, bad = self._objective.evaluate(w, slope)
        return loss, bad, slope

    def noise(self, scale: float, seed: int) -> Vector:
        """What is added to each pair so that latent states are told apart."""
        w = np.zeros(self._objective.n_pairs)
        self._objective.add_noise(w, scale, seed)
        return w


def find_pairs(
    known: tuple[NDArray[np.uint64], NDArray[np.uint32]],
    wanted: tuple[NDArray[np.uint64], NDArray[np.uint32]],
) -> NDArray[np.int64]:
    """The places of pairs among others, which rise by key and cell; -1 for none."""
    keys = np.unique(known[0])
    listed = _ranked(keys, *known)
    asked = _ranked(keys, *wanted)
    at = np.searchsorted(listed, asked)
    inside = np.minimum(at, max(len(listed) - 1, 0))
    if not len(listed):
        return np.full(len(asked), -1)
    return np.where(listed[inside] == asked, inside, -1)


def _ranked(
    keys: NDArray[np.uint64], of: NDArray[np.uint64], cells: NDArray[np.uint32]
) -> NDArray[np.int64]:
    """A number for each pair that rises with key and cell; -1 for an unknown key."""
    if not len(keys):
        return np.full(len(of), -1)
    rank = np.minimum(np.searchsorted(keys, of), len(keys) - 1)
    found = (rank.astype(np.int64) << 32) | cells
    return np.where(keys[rank] == of, found, -1)


def join_pairs(parts: Sequence[Listed]) -> Listed:
    """The pairs of all shards, each once, by key and cell."""
    joined = []
    for of_block in zip(*parts, strict=True):
        keys = np.concatenate([found[0] for found in of_block])
        cells = np.concatenate([found[1] for found in of_block])
        order = np.lexsort((cells, keys))
        keys, cells = keys[order], cells[order]
        fresh = np.ones(len(keys), dtype=bool)
        fresh[1:] = (keys[1:] != keys[:-1]) | (cells[1:] != cells[:-1])
        joined.append((keys[fresh], cells[fresh]))
    return joined


class RemoteObjective:
    """The sum of the objectives of all shards.

    Args:
        pairs: Of all of them.
        begun: What `ShardObjective.start` gave for each shard, in order.
        evaluate: Asks all shards for value and slope, given the weights of all pairs.
        noise: Asks all shards for their noise.
    """

    def __init__(
        self,
        pairs: Listed,
        *,
        begun: Sequence[Begun],
        evaluate: Callable[[Vector], list[tuple[float, int, Vector]]],
        noise: Callable[[float, int], list[Vector]],
    ):
        self._pairs = pairs
        self._evaluate, self._noise = evaluate, noise
        self._places = [found[0] for found in begun]
        self._sentences = [found[1] for found in begun]
        self.n_tokens = sum(found[2] for found in begun)
        self.nbytes = sum(found[3] for found in begun)
        self._begin = np.cumsum([0, *(len(keys) for keys, _ in pairs)]).tolist()

    @property
    def n_pairs(self) -> int:
        """Pairs of a feature and a label."""
        return self._begin[-1]

    @property
    def n_sentences(self) -> int:
        """Without those that no path agrees with."""
        return sum(self._sentences)

    def evaluate(self, w: Vector, slope: Vector) -> tuple[float, int]:
        """See SharedObjective."""
        slope[:] = 0.0
        total, first, stopped = 0.0, 0, -1
        for s, (loss, bad, own) in enumerate(self._evaluate(w)):
            if bad >= 0 and stopped < 0:
                stopped = first + bad
            total += loss
            slope[self._places[s]] += own
            first += self._sentences[s]
        return total, stopped

    def set_rows(self, b: int, w: Vector, *rows: NDArray[Any]) -> None:
        """See Objective."""
        keys, sizes, cells, values = rows
        at = find_pairs(self._pairs[b], (np.repeat(keys, sizes), cells))
        w[self._begin[b] + at[at >= 0]] = values[at >= 0]

    def rows(self, b: int, w: Vector) -> tuple[NDArray[Any], ...]:
        """See Objective."""
        keys, cells = self._pairs[b]
        values = w[self._begin[b] : self._begin[b + 1]].astype(np.float32)
        kept = values != 0
        found, sizes = np.unique(keys[kept], return_counts=True)
        return found, sizes.astype(np.uint32), cells[kept], values[kept]

    def add_noise(self, w: Vector, scale: float, seed: int) -> None:
        """See Objective."""
        added = np.zeros_like(w)
        for places, own in zip(self._places, self._noise(scale, seed), strict=True):
            added[places] = own
        w += added


def wanted_pairs(pairs: Listed, wanted: NDArray[np.uint8]) -> Listed:
    """Those of the pairs that are flagged."""
    found, first = [], 0
    for keys, cells in pairs:
        kept = wanted[first : first + len(keys)].astype(bool)
        found.append((keys[kept], cells[kept]))
        first += len(keys)
    return found
