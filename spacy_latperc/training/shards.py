"""Training on a corpus that is dealt out in shards, which learn apart.

Example number i is in shard i modulo their number, for the whole of the training, so
that what a worker has read stays with it. A pass has rounds: in each of them all shards
begin from the same weights, learn from a part of their examples, in an order of their
own, and the weights are mixed (see learners/mixing.py). Where the shards are makes no
difference to what comes out: in threads of this process (`LocalWorkers`), or on
machines of a cluster (the room `distributed`).
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from spacy.language import Language
from spacy.util import resolve_dot_names

from ..errors import Errors
from ..errors.check import check_count
from ..io.progress import counted
from ..learners.batch.crf import BatchCRF
from ..learners.chain import ChainLearner
from ..learners.ensemble import ChainEnsemble
from ..learners.mixing import Examples, Mixing
from ..learners.settings import MOST_SHARDS
from ..learners.voted import VotedLearner
from ..pipeline.base import LearnerPipe
from .reading import Components, Job, Stub, gold_of, read_stubs


@runtime_checkable
class Passes(Protocol):
    """A corpus that was dealt out, and the learners that learn from it.

    Attributes:
        examples: How many examples a pass has.
        learners: The chains that learn, component by component.
    """

    examples: int
    learners: list[ChainLearner]

    def learn_pass(self) -> dict[str, float]:
        """Learn from all of it once.

        Returns:
            The loss of each component.
        """
        ...


@runtime_checkable
class Workers(Protocol):
    """Those who deal a corpus out and learn from it."""

    @property
    def shards(self) -> int:
        """In how many parts it is dealt."""
        ...

    @property
    def mixing(self) -> Mixing:
        """How and how often these are mixed."""
        ...

    def starting(self) -> AbstractContextManager["Workers"]:
        """Begin to start, while the pipeline is initialised here."""
        ...

    def at_work(self, job: Job, *, quiet: bool) -> AbstractContextManager[Passes]:
        """Read the corpus and be ready to learn."""
        ...


def check_workers(n: int) -> int:
    """A number of workers or shards, or an error that names it."""
    advice = "1 is plain training."
    return check_count("workers", n, high=MOST_SHARDS, advice=advice)


@dataclass(frozen=True)
class LocalWorkers:
    """Shards in threads of this process.

    Attributes:
        shards: How many.
        mixing: How and how often they are mixed.
    """

    shards: int
    mixing: Mixing = Mixing()

    def starting(self) -> AbstractContextManager["LocalWorkers"]:
        """There is nothing to start."""
        return nullcontext(self)

    @contextmanager
    def at_work(self, job: Job, *, quiet: bool) -> Iterator[Passes]:
        """Read the corpus into this process."""
        for name, component in job.components:
            chains_of(name, component)
        stubs = list(corpus_stubs(job, quiet=quiet))
        yield LocalPasses(job.components, deal(stubs, self.shards), self.mixing)


def corpus_stubs(job: Job, *, quiet: bool) -> Iterator[Stub]:
    """All examples of the training corpus, as what components learn from."""
    examples = training_corpus(job.nlp, job.training)(job.nlp)
    read = read_stubs(job.nlp, examples, job.components)
    found = False
    for stub in counted(read, "examples read", quiet=quiet):
        found = True
        yield stub
    if not found:
        raise ValueError(Errors.LP043)


def training_corpus(nlp: Language, training: dict[str, Any]) -> Any:
    """What reads the training corpus of a pipeline."""
    config = nlp.config.interpolate()
    (corpus,) = resolve_dot_names(config, [training["train_corpus"]])
    return corpus


def deal(stubs: Sequence[Stub], shards: int) -> list[list[Stub]]:
    """The examples of each shard."""
    return [list(stubs[shard::shards]) for shard in range(shards)]


def chains_of(name: str, component: LearnerPipe) -> list[ChainLearner]:
    """The chains of a component that can learn in shards: one, or several that vote."""
    learner = component.learner
    if isinstance(learner, ChainEnsemble):
        return list(learner.voters)
    if isinstance(learner, ChainLearner) and not isinstance(learner, VotedLearner):
        return [learner]
    raise ValueError(Errors.LP840.format(name=name))


def gather(stubs: Iterable[Stub], number: int, chain: int, chains: int) -> Examples:
    """What a chain of a component learns from."""
    listed = list(stubs)
    examples = Examples()
    if listed:
        codes = gold_of(listed, number)
        gold = codes if chains == 1 else codes[:, chain]
        examples.add([stub.features[number] for stub in listed], gold)
    return examples


class LocalPasses:
    """Passes over shards in this process."""

    def __init__(
        self,
        components: Components,
        dealt: Sequence[Sequence[Stub]],
        mixing: Mixing,
    ):
        self.mixing = mixing
        self.examples = sum(map(len, dealt))
        self.learners: list[ChainLearner] = []
        self._components = components
        self._parts: list[list[Examples]] = []
        for number, (name, component) in enumerate(components):
            chains = chains_of(name, component)
            for k, learner in enumerate(chains):
                self.learners.append(learner)
                parts = [gather(stubs, number, k, len(chains)) for stubs in dealt]
                self._parts.append(parts)

    def learn_pass(self) -> dict[str, float]:
        """Learn from all of it once."""
        losses = [
            learn_parts(learner, parts, self.mixing)
            for learner, parts in zip(self.learners, self._parts, strict=True)
        ]
        return mean_losses(self._components, losses)


def learn_parts(
    learner: ChainLearner, parts: Sequence[Examples], mixing: Mixing
) -> float:
    """Let a chain learn a pass that was dealt out; its loss."""
    trainer = learner.settings.whole_pass
    if trainer is None:
        return learner.learn_pass(parts, mixing=mixing)
    if isinstance(trainer, BatchCRF):
        trainer = replace(trainer, shards=len(parts))
        learner.settings = replace(learner.settings, whole_pass=trainer)
    blocks = [block for part in parts for block in part.blocks]
    codes = np.concatenate([part.codes for part in parts])
    return learner.update(blocks, codes)[0]


def mean_losses(components: Components, losses: Sequence[float]) -> dict[str, float]:
    """By component, the mean loss of its chains."""
    found, at = {}, 0
    for name, component in components:
        n = len(chains_of(name, component))
        found[name] = sum(losses[at : at + n]) / n
        at += n
    return found
