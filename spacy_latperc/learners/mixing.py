"""Learning in shards: iterative parameter mixing (McDonald, Hall and Mann 2010).

Each pass is cut into shards. Each shard learns its part alone, from the same weights;
then the weights of all are mixed, each by its share of the examples, and the next pass
begins with these. The shards of a pass may learn at the same time; what comes out
depends on their number only.

A run on several machines takes the same steps (see the room `distributed`): `Shard`
begins from given weights and gives back what it changed (`Deltas`, which go elsewhere
as arrays), and the weights of the next pass are mixed of these. The mathematics is in
kernels/weights/mixing.hh.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels.chains import (
    Chain,
    Deltas,
    FeatureBlock,
    Rule,
    deltas_of,
    follow,
    meet_shard,
    mix_shards,
    start_shard,
)
from .threads import together, usable_cores

_STEP = 0x9E3779B97F4A7C15  # of the generator's state (kernels/hashing/hash.hh)
# Weights that went and came back differ by so much at most, and have not changed.
_ROUNDING = 2e-6
_MOST_NUMBERS = 1 << 25  # of weights, without looking which of them changed


@dataclass
class Examples:
    """Examples of a pass, in the order in which they came.

    Attributes:
        blocks: Their features.
        gold: The gold codes of their tokens, one after the other, in pieces.
        sentences: How many there are.
    """

    blocks: list[FeatureBlock] = field(default_factory=list)
    gold: list[NDArray[np.int32]] = field(default_factory=list)
    sentences: int = 0

    def add(self, blocks: Sequence[FeatureBlock], gold: NDArray[np.int32]) -> None:
        """Some more, with the gold codes of their tokens one after the other."""
        self.blocks += blocks
        self.gold.append(np.array(gold, dtype=np.int32))
        self.sentences += sum(block.n_sentences for block in blocks)

    @property
    def codes(self) -> NDArray[np.int32]:
        """The gold codes of all tokens."""
        return np.concatenate([np.zeros(0, dtype=np.int32), *self.gold])

    def cut(self, n: int) -> list["Examples"]:
        """In n parts of about as many tokens; some may be empty."""
        counts = [(block.n_tokens, block.n_sentences) for block in self.blocks]
        ends = np.cumsum(np.array([(0, 0), *counts], dtype=np.int64), axis=0)
        tokens, sentences = ends[:, 0], ends[:, 1]
        wanted = tokens[-1] * np.arange(1, n) / n
        cuts = [0, *np.searchsorted(tokens, wanted).tolist(), len(counts)]
        codes = self.codes
        return [
            Examples(
                self.blocks[i:j],
                [codes[tokens[i] : tokens[j]]],
                int(sentences[j] - sentences[i]),
            )
            for i, j in zip(cuts[:-1], cuts[1:], strict=True)
        ]


@dataclass(frozen=True)
class PassSettings:
    """How a shard learns.

    Attributes:
        make_rule: Makes the rule, which keeps what it needs for a sentence.
        rates: The learn rates of as many examples as the pass has; None: 1.
        shuffle: Whether each shard shuffles its sentences.
        sets: [label sets, labels], which gold codes below -1 speak of.
    """

    make_rule: Callable[[], Rule]
    rates: NDArray[np.float32] | None = None
    shuffle: bool = True
    sets: NDArray[np.uint8] | None = None


class Shard:
    """Learns a part of each pass alone.

    Args:
        chain: Rows that learn, with the settings of the weights but for passes: these
            are counted by whoever mixes.
        weights: The weights that it begins with.
    """

    def __init__(self, chain: Chain, weights: Chain):
        self.chain = chain
        start_shard(weights, chain)

    def learn(
        self, examples: Examples, settings: PassSettings, random_state: int
    ) -> tuple[float, list[int]]:
        """Learn from its part.

        Args:
            examples: The part.
            settings: How.
            random_state: Of its generator.

        Returns:
            The loss, and the numbers of sentences that no path agrees with.
        """
        self.chain.random_state = random_state
        if not examples.blocks:
            return 0.0, []
        rates = settings.rates
        if rates is not None:  # those of the whole pass, in fewer steps
            n = examples.sentences
            rates = rates[np.arange(n) * len(rates) // max(n, 1)]
        return self.chain.update(
            examples.blocks,
            examples.codes,
            settings.make_rule(),
            sets=settings.sets,
            rates=rates,
            shuffle=settings.shuffle,
        )

    def deltas(self, weights: Chain) -> Deltas:
        """What it changed since it had these weights, which must have met it."""
        return deltas_of(weights, self.chain)

    def follow(self, weights: Chain, deltas: list[Deltas]) -> None:
        """Go on from weights that were mixed of these deltas, its own among them."""
        follow(weights, deltas, self.chain)


def mix(weights: Chain, deltas: list[Deltas]) -> None:
    """Make the weights those of the next pass.

    Args:
        weights: What all shards began with.
        deltas: What each of them changed.
    """
    mix_shards(weights, deltas)


def shared_by_changes(
    changes: Sequence[dict[str, NDArray[Any]]], seen: int
) -> list[dict[str, NDArray[Any]]]:
    """Changes of shards, as arrays, that `mix` makes other weights of: those who have
    not changed a weight do not count when it is mixed. Where each shard sees few of the
    examples that a feature has, its weight would hardly move otherwise.

    With k examples of all shards for each example of those who changed a weight by d,
    that change must become k d; and the accumulator of the average, so that it stays
    right (see kernels/weights/mixing.hh), changes by (c + n_s) (k - 1) d more.

    Args:
        changes: What each shard changed, as `Deltas.arrays` gives it.
        seen: How many examples the weights had seen.
    """
    examples = [int(arrays["examples"][0]) for arrays in changes]
    found = [dict(arrays) for arrays in changes]
    for name in [name for name in found[0] if name.endswith(".w")] if found else []:
        b = name.removesuffix(".w")
        numbers = _number_weights(found, b)
        sums = np.zeros(max((own.max(initial=0) for own in numbers), default=0) + 1)
        for own, n, arrays in zip(numbers, examples, found, strict=True):
            sums[own[np.abs(arrays[name]) > _ROUNDING]] += n
        for own, n, arrays in zip(numbers, examples, found, strict=True):
            w = arrays[name].astype(np.float64)
            k = sum(examples) / np.maximum(sums[own], 1)
            k[np.abs(w) <= _ROUNDING] = 1.0
            arrays[name] = (k * w).astype(np.float32)
            if len(a := arrays[f"{b}.a"]):
                arrays[f"{b}.a"] = (a + (seen + n) * (k - 1) * w).astype(np.float32)
    return found


def _number_weights(
    changes: Sequence[dict[str, NDArray[Any]]], b: str
) -> list[NDArray[np.int64]]:
    """For each shard the numbers of the weights of a block that it changed."""
    keys = np.unique(np.concatenate([x[f"{b}.keys"] for x in changes]))
    width = 1 + max(int(x[f"{b}.cells"].max(initial=0)) for x in changes)
    numbers = []
    for x in changes:
        rows = np.searchsorted(keys, x[f"{b}.keys"])
        numbers.append(np.repeat(rows, x[f"{b}.sizes"]) * width + x[f"{b}.cells"])
    if len(keys) * width <= _MOST_NUMBERS:
        return numbers
    _, number = np.unique(np.concatenate(numbers), return_inverse=True)
    return np.split(number.reshape(-1), np.cumsum([len(x) for x in numbers])[:-1])


def random_states(state: int, n: int) -> list[int]:
    """Generators of n shards, and then of the weights after the pass."""
    return [(state + (s + 1) * _STEP + (s << 32)) % 2**64 for s in range(n + 1)]


def starts_from_average(weights: Chain, restart_every: int, pass_size: int) -> bool:
    """Whether modified averaging starts the next pass from the average.

    Args:
        weights: Before that pass.
        restart_every: Every so many passes do; 0 for none.
        pass_size: Sentences in a pass.
    """
    if not (restart_every and pass_size and weights.examples):
        return False
    return (weights.examples // pass_size + 1) % restart_every == 0


class Shards:
    """All shards of a chain, in one process.

    Args:
        weights: The chain: its weights, averages and count of examples are those of all
            shards together, whenever a pass is over.
        make: Makes a chain like it.
        n: How many shards.
        restart_every: For modified averaging: every so many passes start from the
            average.
        pass_size: Sentences in a pass.
        by_changes: Mix each weight among the shards that changed it; see
            `shared_by_changes`.
    """

    def __init__(
        self,
        weights: Chain,
        make: Callable[[], Chain],
        n: int,
        *,
        restart_every: int = 0,
        pass_size: int = 0,
        by_changes: bool = False,
    ):
        self._by_changes = by_changes
        self.weights = weights
        self._make = make
        self.n = n
        self._restart_every = restart_every
        self._pass_size = pass_size
        self._shards: list[Shard] = []

    def learn_pass(self, parts: Sequence[Examples], settings: PassSettings) -> float:
        """Learn from a pass. After an error the weights are those before it.

        Args:
            parts: The examples of each shard.
            settings: How they learn.

        Returns:
            The loss.

        Raises:
            FloatingPointError: With the number of a sentence whose loss is not finite.
        """
        try:
            return self._learn_pass(parts, settings)
        except BaseException:
            self._shards = []  # what they learned is not wanted
            raise

    def _learn_pass(self, parts: Sequence[Examples], settings: PassSettings) -> float:
        if starts_from_average(self.weights, self._restart_every, self._pass_size):
            self.weights.restart_from_average()
            self._shards = []
        if not self._shards:
            chains = [self._make() for _ in range(self.n)]
            self._shards = [Shard(chain, self.weights) for chain in chains]
        cores = usable_cores()
        *states, after = random_states(self.weights.random_state, self.n)
        first = np.cumsum([0, *(part.sentences for part in parts)]).tolist()

        def learn(s: int) -> float:
            try:
                return self._shards[s].learn(parts[s], settings, states[s])[0]
            except FloatingPointError as error:
                raise FloatingPointError(first[s] + error.args[0]) from error

        losses = together([partial(learn, s) for s in range(self.n)], cores)
        for shard in self._shards:
            meet_shard(self.weights, shard.chain)
        found = together([partial(x.deltas, self.weights) for x in self._shards], cores)
        if self._by_changes:
            arrays = [deltas.arrays(self.weights) for deltas in found]
            arrays = shared_by_changes(arrays, self.weights.examples)
            mix(self.weights, [Deltas.from_arrays(self.weights, x) for x in arrays])
        else:
            mix(self.weights, found)
        together([partial(x.follow, self.weights, found) for x in self._shards], cores)
        self.weights.random_state = after
        return sum(losses)
