"""Learning in shards: iterative parameter mixing (McDonald, Hall and Mann 2010).

Each pass is cut into shards. Each shard learns its part alone, from the same weights;
then the weights of all are mixed, each by its share of the examples, and the next pass
begins with these. The shards of a pass may learn at the same time; what comes out
depends on their number only.

A corpus that is dealt out (see the room `training`) is mixed in another way, unless
that is asked for: more often than once a pass, and each weight among the shards that
changed it (`Mixing`). With many shards the weights of rare features would hardly move
otherwise, and the shards would learn the same things again and again.

A run on several machines takes the same steps (see the room `distributed`): `Shard`
begins from given weights and gives back what it changed (`Deltas`, which go elsewhere
as arrays), and the weights of the next pass are mixed of these. The mathematics is in
kernels/weights/mixing.hh.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..errors.check import check_choice, check_count
from ..kernels.chains import (
    Chain,
    Deltas,
    FeatureBlock,
    MixingInPlace,
    Rule,
    block_sizes,
    deltas_of,
    start_shard,
)
from .threads import together, usable_cores

_NONE = np.zeros(0, dtype=np.int32)
_STEP = 0x9E3779B97F4A7C15  # of the generator's state (kernels/hashing/hash.hh)
KINDS = ("changes", "examples")
MOST_ROUNDS = 1024
_USUAL_ROUNDS = 6  # by default, at most


@dataclass(frozen=True)
class Mixing:
    """How and how often shards of a corpus are mixed.

    Attributes:
        kind: Among whom a weight is mixed, each by its share of the examples: those
            who changed it ("changes"), or all ("examples").
        rounds: How often in a pass. 0: as often as there are shards, six times at
            most.
    """

    kind: str = "changes"
    rounds: int = 0

    def __post_init__(self) -> None:
        check_choice("mix", self.kind, KINDS)
        check_count("mixes", self.rounds, low=0, high=MOST_ROUNDS)

    def rounds_of(self, shards: int) -> int:
        """How often so many shards are mixed in a pass."""
        return self.rounds or min(shards, _USUAL_ROUNDS)

    def deal(
        self, parts: Mapping[int, "Examples"], shards: int, state: int | None
    ) -> list[dict[int, "Examples"]]:
        """What shards learn from in each round of a pass.

        Args:
            parts: The examples of shards, by their numbers.
            shards: How many shards there are.
            state: Of the generator of all shards; None: examples stay in order.
        """
        n = self.rounds_of(shards)
        states = [None] * shards if state is None else random_states(state, shards)
        dealt = {shard: part.deal(n, states[shard]) for shard, part in parts.items()}
        return [{s: x[number] for s, x in dealt.items()} for number in range(n)]


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
    _counted: list[NDArray[np.int64]] = field(default_factory=list, repr=False)

    def add(self, blocks: Sequence[FeatureBlock], gold: NDArray[np.int32]) -> None:
        """Some more, with the gold codes of their tokens one after the other."""
        sizes = block_sizes(list(blocks))
        if not self._counted:
            self._counted.append(block_sizes(self.blocks))
        self._counted.append(sizes)
        self.blocks += blocks
        self.gold.append(np.array(gold, dtype=np.int32))
        self.sentences += int(sizes[:, 1].sum())

    @property
    def _sizes(self) -> NDArray[np.int64]:
        """Tokens and sentences of each block."""
        if not self._counted:
            self._counted = [block_sizes(self.blocks)]
        if len(self._counted) > 1:
            self._counted = [np.concatenate(self._counted)]
        return self._counted[0]

    @property
    def codes(self) -> NDArray[np.int32]:
        """The gold codes of all tokens."""
        if len(self.gold) != 1:
            self.gold = [np.concatenate([_NONE, *self.gold])]
        return self.gold[0]

    def deal(self, n: int, state: int | None = None) -> list["Examples"]:
        """In n parts: each gets the next block by turns.

        Args:
            n: How many.
            state: Of a generator, which decides about the order of the blocks; None:
                they stay in order.
        """
        if n == 1:
            return [self]
        sizes = self._sizes
        order = np.arange(len(sizes))
        if state is not None:
            order = np.argsort(random_numbers(state, len(sizes)), kind="stable")
        starts, codes = np.cumsum(sizes[:, 0]) - sizes[:, 0], self.codes
        parts = []
        for k in range(n):
            mine = order[k::n]
            tokens, sentences = sizes[mine].T
            # From the place in the part to the place here, token by token.
            shift = np.repeat(starts[mine] - (np.cumsum(tokens) - tokens), tokens)
            part = codes[np.arange(len(shift)) + shift]
            blocks = [self.blocks[i] for i in mine.tolist()]
            parts.append(Examples(blocks, [part], int(sentences.sum())))
        return parts

    def cut(self, n: int) -> list["Examples"]:
        """In n parts of about as many tokens; some may be empty."""
        ends = np.concatenate([np.zeros((1, 2), int), np.cumsum(self._sizes, axis=0)])
        tokens, sentences = ends.T
        wanted = tokens[-1] * np.arange(1, n) / n
        cuts = [0, *np.searchsorted(tokens, wanted).tolist(), len(self.blocks)]
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
    """How shards learn in a round.

    Attributes:
        make_rule: Makes the rule, which keeps what it needs for a sentence.
        rates: The learn rates of as many examples as the round has, of all shards;
            None: 1.
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
        if rates is not None:  # those of all shards, in fewer steps
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


# As McDonald, Hall and Mann have it.
ONCE_AMONG_ALL = Mixing("examples", 1)


def mix(shards: MixingInPlace, kind: str, random_state: int, threads: int) -> None:
    """Make the weights of all those of the next round.

    Args:
        shards: They have learned, from the same weights.
        kind: Among whom each weight is mixed; see Mixing.
        random_state: Of the generator of the weights after the round.
        threads: How many share the work.
    """
    by_changes = kind == "changes"
    shards.mix(random_state, by_changes=by_changes, threads=threads)


def random_numbers(state: int, n: int) -> NDArray[np.uint64]:
    """The next n numbers of a generator (SplitMix64)."""
    x = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(_STEP) + np.uint64(state)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return x ^ (x >> np.uint64(31))


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
    """

    def __init__(
        self,
        weights: Chain,
        make: Callable[[], Chain],
        n: int,
        *,
        restart_every: int = 0,
        pass_size: int = 0,
    ):
        self.weights = weights
        self._make = make
        self.n = n
        self._restart_every = restart_every
        self._pass_size = pass_size
        self._shards: list[Shard] = []
        self._mixing: MixingInPlace | None = None

    def learn_round(
        self,
        parts: Sequence[Examples],
        settings: PassSettings,
        kind: str = "examples",
        *,
        begins: bool = True,
    ) -> float:
        """Learn from a pass, or a round of one. After an error the weights are those
        before it.

        Args:
            parts: The examples of each shard.
            settings: How they learn.
            kind: Among whom each weight is mixed; see Mixing.
            begins: Whether a pass begins here.

        Returns:
            The loss.

        Raises:
            FloatingPointError: With the number of a sentence whose loss is not finite.
        """
        try:
            return self._learn_round(parts, settings, kind, begins)
        except BaseException:
            self._forget()  # what they learned is not wanted
            raise

    def _forget(self) -> None:
        self._shards, self._mixing = [], None

    def _learn_round(
        self,
        parts: Sequence[Examples],
        settings: PassSettings,
        kind: str,
        begins: bool,
    ) -> float:
        every, size = self._restart_every, self._pass_size
        if begins and starts_from_average(self.weights, every, size):
            self.weights.restart_from_average()
            self._forget()
        if self._mixing is None:
            chains = [self._make() for _ in range(self.n)]
            self._shards = [Shard(chain, self.weights) for chain in chains]
            self._mixing = MixingInPlace(self.weights, chains)
        cores = usable_cores()
        *states, after = random_states(self.weights.random_state, self.n)
        first = np.cumsum([0, *(part.sentences for part in parts)]).tolist()

        def learn(s: int) -> float:
            try:
                return self._shards[s].learn(parts[s], settings, states[s])[0]
            except FloatingPointError as error:
                raise FloatingPointError(first[s] + error.args[0]) from error

        losses = together([partial(learn, s) for s in range(self.n)], cores)
        mix(self._mixing, kind, after, cores)
        return sum(losses)
