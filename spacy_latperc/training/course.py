"""The course of a training: stand-ins for the pipeline in spaCy's loop, and batches."""

import random
from array import array
from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.training import Example
from spacy.training.loop import create_train_batches, train_while_improving
from spacy.util import fix_random_seed, registry
from wasabi import msg

from ..errors import Errors
from ..io.process_memory import rare_collections, trim_memory
from ..pipeline.learner_pipe import LearnerPipe
from .checkpoint import Checkpoint, identity_of
from .reading import (
    Components,
    Job,
    Stub,
    annotators_of,
    component_of_docs,
    components_to_train,
    corpus_stubs,
    gold_of,
    read_stubs,
    training_corpus,
)


@dataclass(eq=False)
class Learners:
    """A stand-in for the pipeline in spaCy's loop that learns from stubs."""

    nlp: Language
    components: Components
    epoch_losses: dict[str, float] = field(default_factory=dict)

    @property
    def pipeline(self) -> list:
        """An empty pipeline, since nothing is left to finish after `update`."""
        return []

    def use_params(self, params: Any) -> Any:
        """Use averaged weights of components of other packages."""
        return self.nlp.use_params(params)

    def update(
        self, part: list[Stub], *, losses: dict[str, float], **unused: Any
    ) -> dict[str, float]:
        """Learn from a batch of stubs."""
        for number, (name, component) in enumerate(self.components):
            features = [stub.features[number] for stub in part]
            gold = gold_of(part, number)
            loss = component.learn(features, gold)[0] if len(gold) else 0.0
            for sums in (losses, self.epoch_losses):
                sums[name] = sums.get(name, 0.0) + loss
        return losses


@dataclass(eq=False)
class _InShards(Learners):
    """A stand-in for shards that workers keep: a batch is an epoch."""

    shards: Any = None  # a ShardedTraining
    checkpoint: Checkpoint | None = None
    epoch: int = 0

    def update(
        self, part: list[Stub], *, losses: dict[str, float], **unused: Any
    ) -> dict[str, float]:
        self.epoch_losses = self.shards.learn_epoch(self.epoch)
        self.epoch += 1
        if self.checkpoint is not None:
            self.checkpoint.save(self.epoch, self.shards.learners)
        for name, loss in self.epoch_losses.items():
            losses[name] = losses.get(name, 0.0) + loss
        return losses


@dataclass(eq=False)
class _WithDocs(Learners):
    """A stand-in for a pipeline that needs the Docs of every batch."""

    @property
    def pipeline(self) -> list:
        """The components of other packages, which finish updates in spaCy's loop."""
        return self.nlp.pipeline

    def update(
        self, part: list, *, losses: dict[str, float], **settings: Any
    ) -> dict[str, float]:
        before = dict(losses)
        self.nlp.update(part, losses=losses, **settings)
        for name, loss in losses.items():
            added = loss - before.get(name, 0.0)
            self.epoch_losses[name] = self.epoch_losses.get(name, 0.0) + added
        return losses


# The batches of all epochs, each with the number of its epoch.
Batches = Iterator[tuple[int, list]]


@dataclass(eq=False)
class Course:
    """The parts of a training. examples: The number in a batch that is an epoch."""

    learners: Learners
    training: dict[str, Any]
    batches: Batches
    examples: int = 0


@contextmanager
def open_course(
    nlp: Language,
    training: dict[str, Any],
    workers: Any,
    checkpoint: Path | None,
    resume: bool,
    *,
    quiet: bool = True,
) -> Iterator[Course]:
    """Read the corpus, here or in the workers."""
    components = components_to_train(nlp, training)
    job = Job(nlp, training, components)
    name = component_of_docs(nlp, training)
    if workers is not None and (name or training["annotating_components"]):
        name = name or training["annotating_components"][0]
        raise ValueError(Errors.LP040.format(name=name))
    if name:
        seed_corpus(training)
        corpus, batcher = training_corpus(nlp, training), training["batcher"]
        batches = create_train_batches(nlp, corpus, batcher, training["max_epochs"])
        yield Course(_WithDocs(nlp, components), training, batches)
        return
    if workers is None:
        seed_corpus(training)
        learners = Learners(nlp, components)
        if training["max_epochs"] < 0:
            yield Course(learners, training, _streamed(job))
            return
        stubs = list(corpus_stubs(job, quiet=quiet))
        trim_memory()  # for the weights
        batches = batches_of(stubs, training, random.shuffle)
        yield Course(learners, training, batches)
        return
    with workers.at_work(job) as shards:
        saved, done = None, 0
        if checkpoint and not any(x.settings.needs_all for x in shards.learners):
            identity = identity_of(job, shards.learners, shards.identity)
            saved = Checkpoint(checkpoint, identity)
            done = saved.resume(shards.learners) if resume else 0
        # A step is an epoch.
        training = {**training, "eval_frequency": 1, "accumulate_gradient": 1}
        training |= {"patience": 0, "max_steps": 0}
        whole = [Stub(shards.examples)]
        batches = ((epoch, whole) for epoch in range(done, training["max_epochs"]))
        learners = _InShards(nlp, components, {}, shards, saved, done)
        yield Course(learners, training, batches, shards.examples)


def resolved_training(nlp: Language) -> dict[str, Any]:
    """Resolve [training] of its config again, since some batchers have state."""
    training = nlp.config.interpolate()["training"]
    return registry.resolve(training, schema=ConfigSchemaTraining)


@rare_collections()
def train_alone(
    nlp: Language,
    name: str,
    component: LearnerPipe,
    examples: Iterable[Example],
    *,
    epochs: int,
    told: Callable[[], object],
) -> None:
    """Train an initialised component as `fit` does, without the pipeline around it."""
    if component.learns_from_docs:
        raise ValueError(Errors.LP646.format(name=name, what="Training by folds"))
    training = {**resolved_training(nlp), "max_epochs": epochs, "before_update": None}
    learners = Learners(nlp, [(name, component)])
    stubs = list(read_stubs(examples, learners.components))
    batches = batches_of(stubs, training, random.Random(training["seed"]).shuffle)
    last = 0
    for _, info, _ in training_steps(learners, training, batches, None):
        if info["epoch"] != last:
            last = info["epoch"]
            told()
    told()


def seed_corpus(training: dict[str, Any]) -> None:
    """Set seeds as `spacy train` does before it reads the corpus: augmenters draw from
    the same random numbers as the order of examples."""
    if training["seed"] is not None:
        fix_random_seed(training["seed"])


def batches_of(
    examples: Sequence[Stub],
    training: dict[str, Any],
    shuffle: Callable[[MutableSequence[int]], None],
) -> Batches:
    """Make the batches of all epochs; max_epochs = 0 has no last one."""
    order = array("q", range(len(examples)))
    for epoch in islice(count(), training["max_epochs"] or None):
        shuffle(order)
        yield from _of_epoch(epoch, map(examples.__getitem__, order), training)


def _streamed(job: Job) -> Batches:
    """Yield the batches of a corpus that is read again in every epoch."""
    corpus = training_corpus(job.nlp, job.training)
    annotators = annotators_of(job.nlp, job.training)
    for epoch in count():
        stubs = read_stubs(corpus(job.nlp), job.components, annotators)
        yield from _of_epoch(epoch, stubs, job.training)


def _of_epoch(epoch: int, stubs: Iterable[Stub], training: dict[str, Any]) -> Batches:
    batch = None
    for batch in training["batcher"](stubs):
        yield epoch, list(batch)
    if batch is None:
        raise ValueError(Errors.LP779)


def training_steps(
    learners: Learners,
    training: dict[str, Any],
    batches: Batches,
    evaluate: Callable[[], tuple[float, dict[str, float]]] | None,
) -> Iterator[tuple[list[Stub], dict[str, Any], bool | None]]:
    """Run spaCy's loop over stubs. Without evaluation there is no patience either."""
    before_update = training["before_update"]
    return train_while_improving(
        learners,
        training["optimizer"],
        batches,
        evaluate or (lambda: (0.0, {})),
        dropout=training["dropout"],
        eval_frequency=training["eval_frequency"],
        accumulate_gradient=training["accumulate_gradient"],
        patience=training["patience"] if evaluate else 0,
        max_steps=training["max_steps"],
        exclude=training["frozen_components"],
        annotating_components=training["annotating_components"],
        before_update=before_update
        and (lambda _, where: before_update(learners.nlp, where)),
    )


def show_epoch(epoch: int, epochs: int, seen: int, losses: dict[str, float]) -> None:
    """Print a line about an epoch."""
    values = "  ".join(f"{name} {loss:.1f}" for name, loss in losses.items())
    of = f"/{epochs}" if epochs > 0 else ""
    msg.text(f"Epoch {epoch}{of}  {seen} examples  loss: {values}")
