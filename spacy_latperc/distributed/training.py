"""Training on shards that lie on the machines of a cluster.

Iterative parameter mixing (McDonald, Hall and Mann 2010), as learners/mixing.py has it
in one process, with the same bytes for the same number of shards. A round of a pass:

1. Each worker learns from its shards, all from the same weights, and cuts what they
   changed, which is sparse, into ranges of features: one for each worker.
2. Each worker mixes one range, with the changes of all shards. So what is sent and
   what is added up for each worker does not grow with their number, as it would if one
   of them did it; and each weight goes through the same additions as in one process,
   which a tree of sums would not give.
3. Everybody, the driver too, takes the weights of all ranges.

Until the driver has them, nothing that is lost matters: a worker that ends is begun
anew by Ray, on any machine; it reads its shards, gets the weights of now from the
driver, and is asked again.

Batch learners learn from the sum of what the shards count or evaluate.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import reduce
from operator import add
from types import NoneType
from typing import Any, TypeVar

import numpy as np

from ..errors import Errors
from ..io.progress import progress_bar
from ..learners.batch.crf import BatchCRF
from ..learners.batch.gathering import Fitted, Gathered
from ..learners.batch.hmm import CountingHMM
from ..learners.chain import ChainLearner
from ..learners.mixing import Mixing, random_states, starts_from_average
from ..training.reading import Components, Job
from ..training.shards import Passes, chains_of, mean_losses
from .cluster import ray_cluster
from .objective import RemoteObjective, join_pairs, wanted_pairs
from .shard_worker import (
    Arrays,
    Kept,
    Learned,
    ShardWorker,
    Shipped,
    State,
    Turn,
    take_weights,
)
from .workers import LostError, WorkerGroup, cause_of

T = TypeVar("T")


@dataclass(frozen=True)
class RayWorkers:
    """Shards on a cluster of Ray.

    Attributes:
        workers: How many processes.
        shards: How many shards, dealt out among them.
        address: Of the cluster; see `ray_cluster`.
        mixing: How and how often the shards are mixed.
    """

    workers: int
    shards: int
    address: str | None = None
    mixing: Mixing = Mixing()

    @contextmanager
    def starting(self) -> Iterator["StartedWorkers"]:
        """Let the processes begin to start, which takes them some seconds."""
        with ray_cluster(self.address) as ray:
            cpus = int(ray.cluster_resources().get("CPU", 0))
            n = min(self.workers, self.shards)
            if n > cpus:
                raise ValueError(Errors.LP846.format(workers=n, cpus=cpus))
            mine = [list(range(k, self.shards, n)) for k in range(n)]
            remote = ray.remote(
                num_cpus=1, max_restarts=-1, scheduling_strategy="SPREAD"
            )
            actors = [remote(ShardWorker).remote(shards) for shards in mine]
            try:
                yield StartedWorkers(self.shards, self.mixing, ray, mine, actors)
            finally:
                for actor in actors:
                    ray.kill(actor)

    @contextmanager
    def at_work(self, job: Job, *, quiet: bool) -> Iterator[Passes]:
        """Let the workers read their shards."""
        with self.starting() as started, started.at_work(job, quiet=quiet) as passes:
            yield passes


@dataclass(frozen=True)
class StartedWorkers:
    """Processes that have begun to start.

    Attributes:
        shards: How many shards.
        mixing: How and how often they are mixed.
        ray: The module, connected.
        mine: The numbers of the shards of each process.
        actors: The processes.
    """

    shards: int
    mixing: Mixing
    ray: Any
    mine: list[list[int]]
    actors: list[Any]

    def starting(self) -> AbstractContextManager["StartedWorkers"]:
        """They have begun."""
        return nullcontext(self)

    @contextmanager
    def at_work(self, job: Job, *, quiet: bool) -> Iterator[Passes]:
        """Let the workers read their shards."""
        nlp, training, components = job
        for name, component in components:
            if component.counts_while_learning:
                raise ValueError(Errors.LP845.format(name=name))
            for learner in chains_of(name, component):
                trainer = learner.settings.whole_pass
                if not isinstance(trainer, (BatchCRF, CountingHMM, NoneType)):
                    raise ValueError(Errors.LP840.format(name=name))
        shipped = Shipped(
            config=nlp.config.to_str(),
            data=nlp.to_bytes(),
            corpus=training["train_corpus"],
            components=[name for name, _ in components],
            shards=self.shards,
            mixing=self.mixing,
            counted=[component.learner.space.counted() for _, component in components],
        )
        passes = RayPasses(self, components, shipped)
        passes.begin(quiet=quiet)
        yield passes


class RayPasses:
    """Passes over shards that are kept by actors.

    Args:
        workers: These actors.
        components: Those that learn.
        shipped: What workers make their pipeline of.
    """

    def __init__(
        self, workers: StartedWorkers, components: Components, shipped: Shipped
    ):
        self.examples = 0
        self.learners: list[ChainLearner] = [
            learner
            for name, component in components
            for learner in chains_of(name, component)
        ]
        self.kept: list[Kept] = []
        self.moved = 0  # weights that changed, of all shards and passes
        self._ray = workers.ray
        self._components = components
        self._shards = shipped.shards
        self._mixing = shipped.mixing
        self._mine = workers.mine
        self._sent = self._ray.put(shipped)
        self.group = WorkerGroup(self._ray, workers.actors, self._bring_back)
        self._turn = 0
        self._restarted = [0] * len(self.learners)
        self._fitted: dict[int, float] = {}
        self._pairs: dict[int, Any] = {}

    def begin(self, *, quiet: bool) -> None:
        """Let the workers read.

        Raises:
            ValueError: One of them cannot.
        """
        asked = [actor.load.remote(self._sent) for actor in self.group.actors]
        with progress_bar("workers read", total=len(asked), quiet=quiet) as told:
            for k, reference in enumerate(asked):
                try:
                    self.kept.append(self._ray.get(reference))
                except self._ray.exceptions.RayTaskError as error:
                    message = Errors.LP843.format(worker=k + 1, error=cause_of(error))
                    raise ValueError(message) from error
                told(1)
        self.examples = sum(kept.examples for kept in self.kept)
        if not self.examples:
            raise ValueError(Errors.LP043)

    def learn_pass(self) -> dict[str, float]:
        """Learn from all shards once."""
        if not self._turn:
            states = self._ray.put(self._states())
            self.group.ask(lambda k: self._restore(k, states), lambda found: found)
        losses = [
            self._learn_whole(c) if learner.settings.whole_pass else self._learn(c)
            for c, learner in enumerate(self.learners)
        ]
        return mean_losses(self._components, losses)

    def _states(self) -> list[State]:
        return [
            None if learner.settings.whole_pass else learner.state_of_shards()
            for learner in self.learners
        ]

    def _bring_back(self, k: int) -> Any:
        return self._restore(k, self._states())

    def _restore(self, k: int, states: Any) -> Any:
        restore = self.group.actors[k].restore
        return restore.remote(self._sent, states, self._restarted)

    @property
    def _sentences(self) -> int:
        return sum(sum(kept.sentences) for kept in self.kept)

    # Sentence by sentence -------------------------------------------------------------

    def _learn(self, c: int) -> float:
        """A pass of a chain that learns sentence by sentence."""
        learner, rounds = self.learners[c], self._mixing.rounds_of(self._shards)
        state = learner.shared_weights().random_state
        dealt = state if learner.settings.shuffle else None
        return sum(self._learn_round(c, dealt, number) for number in range(rounds))

    def _learn_round(self, c: int, dealt: int | None, number: int) -> float:
        """A round of it, after which the shards are mixed."""
        learner = self.learners[c]
        weights, settings = learner.shared_weights(), learner.settings
        self._turn += 1
        restart = number == 0 and starts_from_average(
            weights, settings.restart_every, learner.pass_size
        )
        *states, after = random_states(weights.random_state, self._shards)
        turn = Turn(
            number=self._turn,
            chain=c,
            dealt=dealt,
            round=number,
            restart=restart,
            seen=learner.examples,
            sentences=self._sentences,
            states=states,
            ranges=len(self.group),
        )
        if restart:
            weights.restart_from_average()
            self._restarted[c] = turn.number
        while True:
            try:
                learned = self._learn_apart(turn)
                found = [self._ray.get(references[0]) for references in learned]
                losses = self._losses(found)
                values = self._mix(turn, learned)
                arrays = self._ray.get(values)
                break
            except (LostError, self._ray.exceptions.ObjectLostError):
                continue
        met = self._by_shard([of_worker.met for of_worker in found])
        take_weights(weights, met, arrays)
        weights.random_state = after
        learner.shards_learned()
        # Features without changes matter where their first weights are noise.
        self._take(turn, met if weights.noise > 0 else [], values)
        return sum(losses)

    def _learn_apart(self, turn: Turn) -> list[list[Any]]:
        """For each worker references to what came of it, and its changes by range."""
        sent, n = self._ray.put(turn), turn.ranges + 1
        actors = self.group.actors
        return self.group.ask(
            lambda k: actors[k].learn.options(num_returns=n).remote(sent),
            lambda references: references[0],
        )

    def _losses(self, learned: Sequence[Learned]) -> list[float]:
        """Of all shards, in order."""
        for found in learned:
            if found.stopped is not None:
                shard, sentence = found.stopped
                before = self._by_shard([of_worker.sentences for of_worker in learned])
                number = sentence + sum(before[:shard]) + 1
                raise ValueError(Errors.LP061.format(sentence=number))
            self.moved += found.cells
        return self._by_shard([found.losses for found in learned])

    def _by_shard(self, of_workers: Sequence[Sequence[T]]) -> list[T]:
        """What the workers have of each of their shards, in the order of the shards."""
        found = {
            shard: item
            for mine, items in zip(self._mine, of_workers, strict=True)
            for shard, item in zip(mine, items, strict=True)
        }
        return [found[shard] for shard in range(self._shards)]

    def _mix(self, turn: Turn, learned: list[list[Any]]) -> list[Any]:
        """References to the weights of each range."""
        actors = self.group.actors
        return self.group.ask(
            lambda k: actors[k].mix.remote(
                turn.chain, *(references[1 + k] for references in learned)
            ),
            lambda reference: reference,
        )

    def _take(self, turn: Turn, met: list[Arrays], values: list[Any]) -> None:
        sent, errors = self._ray.put(met), self._ray.exceptions
        asked = [
            actor.take.remote(turn.chain, sent, *values) for actor in self.group.actors
        ]
        for k, reference in enumerate(asked):
            try:
                self._ray.get(reference)
            except (errors.RayActorError, errors.ObjectLostError) as error:
                self.group.come_back(k, error)  # with the weights of after

    # From whole passes ----------------------------------------------------------------

    def _learn_whole(self, c: int) -> float:
        """What a batch learner learns; later passes would teach the same."""
        if c not in self._fitted:
            learner, trainer = self.learners[c], self.learners[c].settings.whole_pass

            def train(gathered: Gathered) -> Fitted:
                if isinstance(trainer, BatchCRF):
                    return self._fit_objective(c, trainer, gathered)
                assert isinstance(trainer, CountingHMM)
                counts = self._ask_shards("count", c)
                return trainer.fit(gathered, reduce(add, counts))

            self._turn += 1
            self._fitted[c] = learner.fit_elsewhere(train, self._sentences)
        else:
            self.learners[c].seen_elsewhere(self._sentences)
        return self._fitted[c]

    def _fit_objective(self, c: int, trainer: BatchCRF, gathered: Gathered) -> Fitted:
        pairs = join_pairs(self._ask_shards("pairs", c))

        def make(wanted: np.ndarray | None) -> RemoteObjective:
            known = pairs if wanted is None else wanted_pairs(pairs, wanted)
            self._pairs[c] = self._ray.put(known)

            def ask(method: str, *given: Any) -> list[Any]:
                return self._ask_shards(method, c, self._pairs[c], *given)

            return RemoteObjective(
                known,
                begun=ask("start_objective"),
                evaluate=lambda w: ask("evaluate", self._ray.put(w)),
                noise=lambda scale, seed: ask("noise", scale, seed),
            )

        return trainer.fit(gathered, make)

    def _ask_shards(self, method: str, *given: Any) -> list[Any]:
        """What all shards answer, in their order."""
        actors = self.group.actors
        asked = self.group.ask(
            lambda k: getattr(actors[k], method).remote(*given), lambda found: found
        )
        return self._by_shard(self._ray.get(asked))
