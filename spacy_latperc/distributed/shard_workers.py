"""Training on shards of a corpus, one for each worker on a cluster of Ray.

Example number i is in shard i modulo their number. All shards learn an epoch from the
same weights, at the same time; then these are mixed (learners/mixing.py). A conditional
random field that learns from all examples at once (CRFBatch.v1) has its objective and
gradient evaluated in parts, which are added up; for it each worker reads all examples.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from random import Random
from typing import Any

from spacy.training.loop import subdivide_batch
from spacy.util import load_model_from_config
from thinc.api import Config

from ..errors import Errors
from ..errors.check import check_count
from ..io.process_memory import rare_collections
from ..learners.mixing import State, mix_states
from ..training.checkpoint import fingerprint
from ..training.course import batches_of, resolved_training, seed_corpus
from ..training.reading import Job, Stub, gold_of, read_stubs, training_corpus
from .cluster import error_line, ray_actors, ray_cluster
from .shared_objective import chains_of, share_objectives


class ShardWorker:
    """A process of Ray that keeps a shard of the corpus and learns from it."""

    def __init__(self, shard: int, shards: int):
        self._shard, self._shards = shard, shards

    @rare_collections()
    def load(self, config: str, data: bytes, counts: dict[str, Any]) -> tuple[int, str]:
        """Make the pipeline and read the corpus.

        Args:
            config: The config of the pipeline.
            data: What it knows after initialisation.
            counts: By component, how often features were counted (min_count).

        Returns:
            The number of examples, and a hash of their features and gold labels.
        """
        nlp = load_model_from_config(Config().from_str(config), auto_fill=True)
        nlp.from_bytes(data)
        pipes: Any = [(name, nlp.get_pipe(name)) for name in counts]
        n, mine, self._pipes = self._shards, self._shard, pipes
        for name, pipe in pipes:
            pipe.learner.space.restore_counts(*counts[name])
        self._chains = [chain for named in pipes for chain in chains_of(*named)]
        self._parts = share_objectives(self._chains, mine, n)
        training = self._training = resolved_training(nlp)
        training["seed"] = (training["seed"] or 0) + mine
        seed_corpus(training)
        examples = training_corpus(nlp, training)(nlp)
        if not self._parts:
            examples = islice(examples, mine, None, n)
        stubs = list(read_stubs(examples, pipes))
        digest = fingerprint(stubs, [pipe.learner.space for _, pipe in pipes])
        if self._parts:
            self._stubs, stubs = stubs, stubs[mine::n]
        shuffle = Random(training["seed"]).shuffle
        batches = batches_of(stubs, training, shuffle) if stubs else ()
        self._epochs = groupby(batches, key=itemgetter(0))
        return len(stubs), digest

    def learn(
        self, epoch: int, states: Sequence[State | None]
    ) -> tuple[dict[str, float], list[State | None]]:
        """Learn an epoch from the shard. Earlier ones that were not learned here are
        skipped.

        Args:
            epoch: Its number, from 0.
            states: Of the chains; None for those that learn from all examples at once.

        Returns:
            The loss of each component, and the states of the chains.
        """
        for chain, state in zip(self._chains, states, strict=True):
            if state is not None:
                # Each shard has random numbers of its own, the first one those of fit.
                number = (state[0]["random_state"] + (self._shard << 32)) % 2**64
                header = {**state[0], "random_state": number}
                chain.restore_training_state(header, state[1])
        losses: dict[str, float] = {}
        found = (batches for number, batches in self._epochs if number == epoch)
        for _, batch in next(found, ()):
            for part in subdivide_batch(batch, self._training["accumulate_gradient"]):
                self._learn(part, losses)
        return losses, [
            None if state is None else chain.training_state()
            for chain, state in zip(self._chains, states, strict=True)
        ]

    def _learn(
        self, batch: Sequence[Stub], losses: dict[str, float], *, whole: bool = False
    ) -> None:
        for number, (name, pipe) in enumerate(self._pipes):
            gold = gold_of(batch, number)
            if len(gold) and pipe.learner.settings.needs_all == whole:
                loss = pipe.learn([stub.features[number] for stub in batch], gold)[0]
                losses[name] = losses.get(name, 0.0) + loss

    def minimise(self, others: Sequence[Any] | None) -> tuple[Any, Any]:
        """Train what learns from all examples at once, with the help of other workers;
        without others, be ready to help.

        Returns:
            The losses and the bytes of these components, by name.
        """
        losses: dict[str, float] = {}
        for part in self._parts.values():
            part.others = others
        self._learn(self._stubs, losses, whole=True)
        found = [x for x in self._pipes if x[1].learner.settings.needs_all]
        return losses, {name: pipe.to_bytes() for name, pipe in found}

    def part(self, chain: int, method: str, *given: Any) -> Any:
        """Call a method of the objective of a chain."""
        return getattr(self._parts[chain], method)(*given)


@dataclass(frozen=True)
class RayWorkers:
    """Workers on a cluster of Ray, one for each shard."""

    workers: int
    address: str | None = None

    def __post_init__(self) -> None:
        check_count("workers", self.workers)

    @contextmanager
    def at_work(self, job: Job) -> Iterator["ShardedTraining"]:
        """Start the workers and let them read their shards."""
        for component in job.components:
            chains_of(*component)
        with ray_cluster(self.address) as ray:
            with ray_actors(ray, ShardWorker, self.workers) as actors:
                yield ShardedTraining(ray, actors, job)


class ShardedTraining:
    """Training of a job on shards, each kept by an actor (a `ShardWorker`) of Ray."""

    def __init__(self, ray: Any, actors: Sequence[Any], job: Job):
        self._ray, self._actors = ray, actors
        self._losses: dict[str, float] | None = None  # of CRFBatch.v1
        self._pipes = dict(job.components)
        self.learners = [x for named in job.components for x in chains_of(*named)]
        counts = {name: x.learner.space.counted() for name, x in job.components}
        config, data = job.nlp.config.to_str(), ray.put(job.nlp.to_bytes())
        try:
            found = self._ask(actors, "load", config, data, counts)
        except ValueError as error:
            raise ValueError(Errors.LP843.format(error=error)) from error
        self.examples = sum(n for n, _ in found)
        if not self.examples:
            raise ValueError(
                Errors.LP043.format(corpus="training", setting="paths.train")
            )
        self.identity = repr(found)

    def learn_epoch(self, epoch: int) -> dict[str, float]:
        """Learn an epoch from all shards; return the loss of each component."""
        whole = [chain.settings.needs_all for chain in self.learners]
        if self._losses is None:
            self._losses = self._minimise() if any(whole) else {}
        losses, pairs = dict(self._losses), zip(self.learners, whole, strict=True)
        starts = [None if x else chain.training_state() for chain, x in pairs]
        found = self._ask(self._actors, "learn", epoch, self._ray.put(starts))
        for of_shard, _ in found:
            for name, loss in of_shard.items():
                losses[name] = losses.get(name, 0.0) + loss
        ends = zip(*(states for _, states in found), strict=True)
        for chain, start, learned in zip(self.learners, starts, ends, strict=True):
            if start is not None:
                chain.restore_training_state(*mix_states(start, learned))
        return losses

    def _minimise(self) -> dict[str, float]:
        first, *others = self._actors
        self._ask(others, "minimise", None)
        ((losses, data),) = self._ask([first], "minimise", others)
        for name, known in data.items():
            self._pipes[name].from_bytes(known)
        return dict(losses)

    def _ask(self, actors: Sequence[Any], method: str, *given: Any) -> list[Any]:
        """Call a method of workers at the same time; return what each returned."""
        errors = self._ray.exceptions
        try:
            asked = [getattr(actor, method).remote(*given) for actor in actors]
            return list(self._ray.get(asked))
        except (errors.RayActorError, errors.ObjectLostError) as error:
            raise ConnectionError(
                Errors.LP844.format(error=error_line(error))
            ) from error
        except errors.RayTaskError as error:
            raise ValueError(error_line(error.cause or error)) from error
