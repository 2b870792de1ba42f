"""A worker that keeps shards of a training corpus and learns from them.

It is an actor of Ray: a process on some machine. It reads its examples once and keeps
their features. All that it knows beyond that is the weights of all shards together,
which it gets from the driver when it begins, and again if it had to begin anew.
"""

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.util import load_model_from_config, resolve_dot_names
from thinc.api import Config

from ..data.corpus import select_examples
from ..io.garbage import rare_collections
from ..kernels.chains import Chain, Deltas, meet_shard, mixed, take_mixed
from ..learners.batch.crf import BatchCRF
from ..learners.batch.hmm import CountingHMM, Counts
from ..learners.chain import ChainLearner
from ..learners.mixing import Examples, Mixing, Shard
from ..learners.serialization.state import restore_state
from ..pipeline.base import LearnerPipe
from ..training.reading import Components, read_stubs
from ..training.shards import chains_of, gather
from .objective import Begun, Listed, ShardObjective

Arrays = dict[str, np.ndarray]
# Of a chain whose pass is over; None of one that learns from whole passes.
State = tuple[dict[str, Any], Arrays] | None
# Of shards, by their numbers: what they changed.
Changes = list[tuple[int, Arrays]]


@dataclass(frozen=True)
class Shipped:
    """What a worker makes its pipeline of.

    Attributes:
        config: Of the pipeline.
        data: All that it knows after initialisation.
        corpus: The name of the training corpus in the config.
        components: Those that learn.
        shards: In how many the corpus is dealt.
        mixing: How and how often these are mixed.
        counted: Of each component, features and how often they were counted, where
            rare ones are left out.
    """

    config: str
    data: bytes
    corpus: str
    components: list[str]
    shards: int
    mixing: Mixing
    counted: list[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Kept:
    """What a worker has.

    Attributes:
        process: Its process, and the machine.
        examples: How many examples of its shards it read.
        sentences: Of each of its shards, their number.
    """

    process: tuple[str, int]
    examples: int
    sentences: list[int]


@dataclass(frozen=True)
class Turn:
    """A round of a pass of a chain.

    Attributes:
        number: Of the turn, from 1 on; it rises.
        chain: Which chain learns.
        dealt: The state of the generator when the pass began, which decides what is
            learned from in which round; None: examples stay in order.
        round: The number of the round, from 0.
        restart: Whether it begins from the average.
        seen: From how many sentences the chain has learned.
        sentences: Of all shards, in a pass.
        states: Of the generators of all shards.
        ranges: Into how many ranges of features the changes are cut.
    """

    number: int
    chain: int
    dealt: int | None
    round: int
    restart: bool
    seen: int
    sentences: int
    states: list[int]
    ranges: int


@dataclass(frozen=True)
class Learned:
    """What came of a turn.

    Attributes:
        losses: Of each shard, in order.
        sentences: From how many each shard learned.
        stopped: A shard and the number of its sentence whose loss is not finite.
        cells: How many weights changed.
        met: Of each shard, the features that were new to it.
    """

    losses: list[float]
    sentences: list[int]
    stopped: tuple[int, int] | None = None
    cells: int = 0
    met: list[Arrays] = field(default_factory=list)


def take_weights(chain: Chain, met: Sequence[Arrays], values: Sequence[Arrays]) -> None:
    """Let a chain have the weights that were mixed.

    Args:
        chain: The chain.
        met: What each shard met, in order. New features get rows in this order, as they
            do in one process: they stand so in model files.
        values: Range by range, what was mixed.
    """
    for arrays in (*met, *values):
        take_mixed(chain, Deltas.from_arrays(chain, arrays))


class ShardWorker:
    """Learns from some shards, pass by pass.

    Args:
        mine: The numbers of its shards.
    """

    def __init__(self, mine: Sequence[int]):
        self._mine = sorted(mine)
        self._kept: Kept | None = None

    def load(self, shipped: Shipped) -> Kept:
        """Make the pipeline and read the shards, if that is still to be done."""
        if self._kept is None:
            with rare_collections():
                self._kept = self._load(shipped)
        return self._kept

    def _load(self, shipped: Shipped) -> Kept:
        config = Config().from_str(shipped.config)
        nlp = load_model_from_config(config, auto_fill=True)
        nlp.from_bytes(shipped.data)
        components: Components = []
        for name in shipped.components:
            component = nlp.get_pipe(name)
            assert isinstance(component, LearnerPipe)
            components.append((name, component))
        self._learners: list[ChainLearner] = []
        self._objectives: dict[tuple[int, int], ShardObjective] = {}
        self._started: dict[int, list[Begun]] = {}
        for counted, (name, component) in zip(shipped.counted, components, strict=True):
            component.learner.space.restore_counts(*counted)
            self._learners += chains_of(name, component)
        self._weights: list[Chain | None] = [None] * len(self._learners)
        self._restarted = [0] * len(self._learners)
        self._shards: list[dict[int, Shard]] = [{} for _ in self._learners]
        self._mixing, self._all_shards = shipped.mixing, shipped.shards
        self._dealt: dict[int, tuple[int | None, list[dict[int, Examples]]]] = {}
        self._waiting: dict[int, dict[int, Shard]] = {}  # of shards that have learned
        return self._read(nlp, components, shipped)

    def _read(self, nlp: Language, components: Components, shipped: Shipped) -> Kept:
        every, settings = shipped.shards, nlp.config.interpolate()
        (corpus,) = resolve_dot_names(settings, [shipped.corpus])
        mine = frozenset(self._mine)
        examples = select_examples(corpus(nlp), lambda number: number % every in mine)
        stubs = list(read_stubs(nlp, examples, components))
        # Its own examples come in turns, one of each of its shards.
        places = self._mine
        self._parts: list[dict[int, Examples]] = []
        for number, (name, component) in enumerate(components):
            n = len(chains_of(name, component))
            for k in range(n):
                self._parts.append(
                    {
                        shard: gather(
                            islice(stubs, place, None, len(places)), number, k, n
                        )
                        for place, shard in enumerate(places)
                    }
                )
        sentences = [self._parts[0][shard].sentences for shard in places]
        process = (platform.node(), os.getpid())
        return Kept(process, len(stubs), sentences)

    def restore(
        self, shipped: Shipped, states: Sequence[State], restarted: Sequence[int]
    ) -> None:
        """Have the weights of now.

        Args:
            shipped: As for `load`, if this worker began anew.
            states: Of all chains.
            restarted: Of each the last turn that began from the average.
        """
        self.load(shipped)
        for c, (learner, state) in enumerate(zip(self._learners, states, strict=True)):
            if state is None:
                continue
            header, arrays = state
            weights = learner.make_shard(
                noise=header["noise"], pulled=bool(header["planes"][2])
            )
            if not restore_state(weights, header, arrays):
                raise ValueError("the pipeline here learns in another way")
            self._weights[c], self._shards[c] = weights, {}
        self._restarted = list(restarted)

    def learn(self, turn: Turn) -> list[Any]:
        """Learn a round of a pass from all of its shards.

        Returns:
            What came of it (Learned), and the changes by range of features.
        """
        c = turn.chain
        learner, weights = self._learners[c], self._weights_of(c)
        if turn.restart and self._restarted[c] != turn.number:
            weights.restart_from_average()
            self._restarted[c], self._shards[c] = turn.number, {}
        rounds = self._rounds(turn)
        settings = learner.pass_settings(turn.seen, turn.sentences, len(rounds))
        parts = rounds[turn.round]
        sentences = [parts[s].sentences for s in self._mine]
        shards = {s: self._shards[c].get(s) or self._begin(c) for s in self._mine}
        self._shards[c] = {}  # what they learn is not yet wanted
        losses = []
        for s, shard in shards.items():
            try:
                losses.append(shard.learn(parts[s], settings, turn.states[s])[0])
            except FloatingPointError as error:
                found = Learned([], sentences, stopped=(s, int(error.args[0])))
                return [found, *([[]] * turn.ranges)]
        met = [
            meet_shard(weights, shard.chain).arrays(weights)
            for shard in shards.values()
        ]
        deltas = {s: shard.deltas(weights) for s, shard in shards.items()}
        ranges: list[Changes] = [
            [
                (s, deltas[s].arrays(weights, part=part, parts=turn.ranges))
                for s in shards
            ]
            for part in range(turn.ranges)
        ]
        self._waiting[c] = shards
        cells = sum(found.n_cells for found in deltas.values())
        return [Learned(losses, sentences, cells=cells, met=met), *ranges]

    def _rounds(self, turn: Turn) -> list[dict[int, Examples]]:
        """What the shards learn from in each round of a pass."""
        known = self._dealt.get(turn.chain)
        if known is None or known[0] != turn.dealt:
            parts = self._parts[turn.chain]
            known = turn.dealt, self._mixing.deal(parts, self._all_shards, turn.dealt)
            self._dealt[turn.chain] = known
        return known[1]

    def mix(self, chain: int, *changes: Changes) -> Arrays:
        """The weights that these changes of all shards, of a range of features, make of
        those that they began with. Nothing changes here."""
        weights = self._weights_of(chain)
        every = [change for part in changes for change in part]
        arrays = [arrays for _, arrays in sorted(every, key=lambda change: change[0])]
        deltas = [Deltas.from_arrays(weights, changed) for changed in arrays]
        by_changes = self._mixing.kind == "changes"
        return mixed(weights, deltas, by_changes=by_changes).arrays(weights)

    def take(self, chain: int, met: Sequence[Arrays], *values: Arrays) -> None:
        """Have the weights that were mixed; see `take_weights`."""
        weights = self._weights_of(chain)
        shards = self._waiting.pop(chain, {})  # none if this worker began anew
        for known in (weights, *(shard.chain for shard in shards.values())):
            take_weights(known, met, values)
        self._shards[chain] = shards

    # Learning from whole passes: each of these is asked about all shards of the worker.

    def count(self, chain: int) -> list[Counts]:
        """What a hidden Markov model counts."""
        learner = self._learners[chain]
        trainer = learner.settings.whole_pass
        assert isinstance(trainer, CountingHMM)
        parts = self._parts[chain]
        return [trainer.count(learner.gathered(parts[s])) for s in self._mine]

    def pairs(self, chain: int) -> list[Listed]:
        """The pairs of features and labels of a conditional random field."""
        learner = self._learners[chain]
        trainer = learner.settings.whole_pass
        assert isinstance(trainer, BatchCRF)
        for s in self._mine:
            self._objectives[chain, s] = ShardObjective(
                learner.gathered(self._parts[chain][s]), trainer.all_pairs
            )
        return [self._objectives[chain, s].pairs() for s in self._mine]

    def start_objective(self, chain: int, known: Listed) -> list[Begun]:
        """Evaluate these pairs of all shards; see ShardObjective.start."""
        if (chain, self._mine[0]) not in self._objectives:
            self.pairs(chain)
        self._started[chain] = [
            self._objectives[chain, s].start(known) for s in self._mine
        ]
        return self._started[chain]

    def evaluate(
        self, chain: int, known: Listed, w: np.ndarray
    ) -> list[tuple[float, int, np.ndarray]]:
        """Value and slope of each shard at these weights of all pairs."""
        if chain not in self._started:  # this worker began anew
            self.start_objective(chain, known)
        return [
            self._objectives[chain, s].evaluate(w[places])
            for s, (places, *_) in zip(self._mine, self._started[chain], strict=True)
        ]

    def noise(
        self, chain: int, known: Listed, scale: float, seed: int
    ) -> list[np.ndarray]:
        """What tells latent states apart."""
        if chain not in self._started:
            self.start_objective(chain, known)
        return [self._objectives[chain, s].noise(scale, seed) for s in self._mine]

    def _weights_of(self, chain: int) -> Chain:
        weights = self._weights[chain]
        if weights is None:
            raise ValueError("this worker has no weights yet")
        return weights

    def _begin(self, chain: int) -> Shard:
        """A shard that has the weights of all."""
        weights = self._weights_of(chain)
        twin = self._learners[chain].make_shard(
            noise=weights.noise > 0, pulled=bool(weights.planes[2])
        )
        return Shard(twin, weights)
