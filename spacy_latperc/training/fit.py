"""Training on arrays: examples are read once, and only their features are kept.

The order of examples, the evaluations and the end are the same as in `spacy train` with
the same config, so that model-last is the same, byte for byte.
"""

import random
import sys
import warnings
from array import array
from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from io import StringIO
from itertools import count, islice
from pathlib import Path
from typing import IO, Any, Protocol, runtime_checkable

from spacy.language import DEFAULT_CONFIG, Language
from spacy.schemas import ConfigSchemaTraining
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.training.loop import (
    DIR_MODEL_BEST,
    DIR_MODEL_LAST,
    create_before_to_disk_callback,
    create_evaluation_callback,
    create_train_batches,
    train_while_improving,
    update_meta,
)
from spacy.util import fix_random_seed, registry, resolve_dot_names
from thinc.api import Config
from wasabi import msg

from ..errors import Errors, Warnings
from ..errors.check import locate_settings
from ..io.outputs import check_suffix
from ..io.pipelines import check_room, save_pipeline, whole_pipelines
from ..io.process_memory import rare_collections, trim_memory
from ..learners.chain import ChainLearner
from ..pipeline.learner_pipe import LearnerPipe
from .card import complete_card
from .check_config import check_config, check_given, check_score_weights
from .checkpoint import FILE, Checkpoint, identity_of
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

# (epoch, epochs, sentences seen, loss of the epoch by component)
Progress = Callable[[int, int, int, dict[str, float]], None]


@runtime_checkable
class Sharded(Protocol):
    """Training on shards of a corpus: see `distributed.training.ShardedTraining`."""

    examples: int
    identity: dict[str, Any]
    learners: list[ChainLearner]

    def learn_epoch(self, epoch: int) -> dict[str, float]:
        """Train an epoch on all shards; return the loss of each component."""
        ...


@runtime_checkable
class Workers(Protocol):
    """Workers that keep shards of a corpus: see `distributed.training.RayWorkers`."""

    def at_work(self, job: Job) -> AbstractContextManager[Sharded]:
        """Start the workers and let them read their shards."""
        ...


@dataclass(eq=False)
class _Learners:
    """A stand-in for the pipeline in spaCy's loop that learns from stubs."""

    nlp: Language
    components: Components
    epoch_losses: dict[str, float] = field(default_factory=dict)

    @property
    def pipeline(self) -> list:
        """An empty pipeline, since nothing is left to finish after `update`."""
        return []

    def use_params(self, params: Any) -> Any:
        return self.nlp.use_params(params)

    def update(
        self, part: list[Stub], *, losses: dict[str, float], **unused: Any
    ) -> dict[str, float]:
        for number, (name, component) in enumerate(self.components):
            features = [stub.features[number] for stub in part]
            gold = gold_of(part, number)
            loss = component.learn(features, gold)[0] if len(gold) else 0.0
            for sums in (losses, self.epoch_losses):
                sums[name] = sums.get(name, 0.0) + loss
        return losses


@dataclass(eq=False)
class _InShards(_Learners):
    """A stand-in for shards that workers keep: a batch is an epoch."""

    shards: Sharded | None = None
    checkpoint: Checkpoint | None = None
    epoch: int = 0

    def update(
        self, part: list[Stub], *, losses: dict[str, float], **unused: Any
    ) -> dict[str, float]:
        assert self.shards is not None
        self.epoch_losses = self.shards.learn_epoch(self.epoch)
        self.epoch += 1
        if self.checkpoint is not None:
            self.checkpoint.save(self.epoch, self.shards.learners)
        for name, loss in self.epoch_losses.items():
            losses[name] = losses.get(name, 0.0) + loss
        return losses


@dataclass(eq=False)
class _WithDocs(_Learners):
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
_Batches = Iterator[tuple[int, list]]


@rare_collections()
def fit(
    config: Config,
    *,
    progress: Progress | None = None,
    workers: Workers | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
) -> Language:
    """Train the pipeline of a config, without evaluation.

    Args:
        config: A config as for `spacy train`; missing settings get spaCy's defaults.
        progress: A callback for each epoch.
        workers: Workers that keep shards of the corpus; None for plain training.
        checkpoint: The file for the state after each epoch, with workers.
        resume: Continue from that file, if there is one.

    Returns:
        The pipeline after the last epoch.
    """
    nlp, training = _initialized(config)
    _check_end(training, workers, evaluate=False)
    with _course(nlp, training, workers, checkpoint, resume) as course:
        _follow(course, progress)
    del course
    trim_memory()  # and to save the pipeline, too
    complete_card(nlp)
    return nlp


def _follow(course: "_Course", progress: Progress | None) -> None:
    """Train without evaluation."""
    learners, seen, last = course.learners, 0, 0

    def report() -> None:
        if progress:
            epochs = course.training["max_epochs"]
            progress(last + 1, epochs, seen, learners.epoch_losses)

    def batches() -> _Batches:
        """Yield batches, and report each epoch at the beginning of the next."""
        nonlocal seen, last
        for epoch, batch in course.batches:
            if epoch != last:
                if seen:
                    report()
                seen, last, learners.epoch_losses = 0, epoch, {}
            seen += course.examples or len(batch)
            yield epoch, batch

    for _ in _steps(learners, course.training, batches(), None):
        pass
    report()


@rare_collections()
def fit_and_save(
    config: Config,
    output: Path,
    *,
    evaluate: bool = True,
    quiet: bool = False,
    workers: Workers | None = None,
    resume: bool = False,
) -> Language:
    """Train the pipeline of a config as `spacy train` does, and save it.

    The pipeline is scored on the development corpus when `spacy train` would do so; the
    best one goes to model-best, the last one to model-last, with its scores. With
    workers it is scored after each epoch, when the weights change, and a checkpoint
    next to them holds the state until training is complete.

    Args:
        config: A config as for `spacy train`; missing settings get spaCy's defaults.
        output: The folder for model-best and model-last.
        evaluate: Score the pipeline, and save model-best.
        quiet: Print no progress.
        workers: Workers that keep shards of the corpus; None for plain training.
        resume: Continue a training that was stopped, with workers.

    Returns:
        The pipeline after the last epoch.
    """
    checkpoint = output / FILE
    best, last = output / DIR_MODEL_BEST, output / DIR_MODEL_LAST
    check_suffix(output)
    check_room(last)
    if not evaluate:
        progress = None if quiet else _show_epoch
        nlp = fit(
            config,
            progress=progress,
            workers=workers,
            checkpoint=checkpoint,
            resume=resume,
        )
        save_pipeline(prepare_to_save(nlp), last)
        checkpoint.unlink(missing_ok=True)
        if best.exists():
            warnings.warn(Warnings.LP930.format(path=best), stacklevel=2)
        return nlp
    check_room(best)
    nlp = _fit_and_score(config, best, last, checkpoint, workers, resume, quiet)
    checkpoint.unlink(missing_ok=True)
    return nlp


def _fit_and_score(
    config: Config,
    best: Path,
    last: Path,
    checkpoint: Path,
    workers: Workers | None,
    resume: bool,
    quiet: bool,
) -> Language:
    """Train, with scores and the best pipeline."""
    nlp, training = _initialized(config)
    _check_end(training, workers, evaluate=True)
    frozen = training["frozen_components"]
    config = nlp.config.interpolate()
    section, _, name = training["dev_corpus"].partition(".")
    check_given(nlp, config.get(section, {}).get(name, {}))
    with locate_settings(config):
        (dev_corpus,) = resolve_dot_names(config, [training["dev_corpus"]])
    if next(iter(dev_corpus(nlp)), None) is None:
        raise ValueError(
            Errors.LP043.format(
                corpus="development",
                setting="paths.dev (or pass --no-evaluation)",
            )
        )
    scores = create_evaluation_callback(nlp, dev_corpus, training["score_weights"])
    before_to_disk = create_before_to_disk_callback(training["before_to_disk"])
    # Only components of other packages have averages in the optimizer.
    averaged = partial(nlp.use_params, training["optimizer"].averages)
    interrupted: KeyboardInterrupt | None = None
    evaluations = 0
    # Both replace older results only at the end.
    with (
        _course(nlp, training, workers, checkpoint, resume, quiet=quiet) as course,
        whole_pipelines([best, last]) as (fresh_best, fresh_last),
    ):
        with nlp.select_pipes(disable=frozen):
            stdout: IO = StringIO() if quiet else sys.stdout
            log_step, finalize = training["logger"](nlp, stdout, sys.stderr)
        try:
            steps = _steps(course.learners, course.training, course.batches, scores)
            for _, info, is_best in steps:
                if is_best is not None:
                    evaluations += 1
                    if evaluations == 1:
                        weights = training["score_weights"]
                        check_score_weights(nlp, weights, info["other_scores"])
                    with nlp.select_pipes(disable=frozen):
                        update_meta(training, nlp, info)
                    complete_card(nlp)
                if is_best:
                    with averaged():
                        save_pipeline(before_to_disk(nlp), fresh_best)
                    info["output_path"] = str(best)
                log_step(info if is_best is not None else None)
        except KeyboardInterrupt as stop:
            if not fresh_best.exists():
                raise
            interrupted = stop  # raised after saving
        finally:
            finalize()
        if not evaluations:  # interrupted after the last epoch
            save_pipeline(before_to_disk(nlp), fresh_best)
        with averaged():
            save_pipeline(before_to_disk(nlp), fresh_last)
        if evaluations == 1 and info["step"] and not interrupted:
            batches = info["step"] + 1
            epoch = -(-batches // (info["epoch"] + 1))
            message = Warnings.LP935.format(batches=batches, epoch=epoch)
            warnings.warn(message, stacklevel=2)
    if interrupted is not None:
        raise interrupted
    return nlp


def _check_end(
    training: dict[str, Any], workers: Workers | None, *, evaluate: bool
) -> None:
    """Refuse a training without an end."""
    if training["max_epochs"] > 0:
        return
    ends = training["max_steps"] or (evaluate and training["patience"])
    if workers is not None or not ends:
        otherwise = "workers need a number of epochs"
        if workers is None:
            otherwise = f"max_steps{' or patience' if evaluate else ''} can end it, too"
        message = Errors.LP042.format(
            max_epochs=training["max_epochs"], otherwise=otherwise
        )
        raise ValueError(message)


def prepare_to_save(nlp: Language) -> Language:
    """Apply [training.before_to_disk] of its config to a trained pipeline."""
    training = resolved_training(nlp)
    return create_before_to_disk_callback(training["before_to_disk"])(nlp)


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
    """Train an initialised component as `fit` does, without the pipeline around it.

    Args:
        nlp: The pipeline with the config.
        name: The name of the component.
        component: The component, which need not be in the pipeline.
        examples: The training examples.
        epochs: The number of epochs.
        told: A callback after each epoch.
    """
    training = {**resolved_training(nlp), "max_epochs": epochs, "before_update": None}
    learners = _Learners(nlp, [(name, component)])
    stubs = list(read_stubs(examples, learners.components))
    batches = batches_of(stubs, training, random.Random(training["seed"]).shuffle)
    last = 0
    for _, info, _ in _steps(learners, training, batches, None):
        if info["epoch"] != last:
            last = info["epoch"]
            told()
    told()


@dataclass(eq=False)
class _Course:
    """The parts of a training. examples: The number in a batch that is an epoch."""

    learners: _Learners
    training: dict[str, Any]
    batches: _Batches
    examples: int = 0


@contextmanager
def _course(
    nlp: Language,
    training: dict[str, Any],
    workers: Workers | None,
    checkpoint: Path | None,
    resume: bool,
    *,
    quiet: bool = True,
) -> Iterator[_Course]:
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
        yield _Course(_WithDocs(nlp, components), training, batches)
        return
    if workers is None:
        seed_corpus(training)
        learners = _Learners(nlp, components)
        if training["max_epochs"] < 0:
            yield _Course(learners, training, _streamed(job))
            return
        stubs = list(corpus_stubs(job, quiet=quiet))
        trim_memory()  # for the weights
        batches = batches_of(stubs, training, random.shuffle)
        yield _Course(learners, training, batches)
        return
    with workers.at_work(job) as shards:
        saved, done = None, 0
        if checkpoint and not any(x.settings.needs_all for x in shards.learners):
            identity = identity_of(job, shards.learners) | shards.identity
            saved = Checkpoint(checkpoint, identity)
            done = saved.resume(shards.learners) if resume else 0
        # A step is an epoch.
        training = {**training, "eval_frequency": 1, "accumulate_gradient": 1}
        training |= {"patience": 0, "max_steps": 0}
        whole = [Stub(shards.examples)]
        batches = ((epoch, whole) for epoch in range(done, training["max_epochs"]))
        learners = _InShards(nlp, components, {}, shards, saved, done)
        yield _Course(learners, training, batches, shards.examples)


def _initialized(config: Config) -> tuple[Language, dict[str, Any]]:
    check_config(config)
    with locate_settings(config):
        nlp = init_nlp(DEFAULT_CONFIG.merge(config))
    return nlp, resolved_training(nlp)


def resolved_training(nlp: Language) -> dict[str, Any]:
    """Resolve [training] of its config again, since some batchers have state."""
    training = nlp.config.interpolate()["training"]
    return registry.resolve(training, schema=ConfigSchemaTraining)


def _show_epoch(epoch: int, epochs: int, seen: int, losses: dict[str, float]) -> None:
    values = "  ".join(f"{name} {loss:.1f}" for name, loss in losses.items())
    of = f"/{epochs}" if epochs > 0 else ""
    msg.text(f"Epoch {epoch}{of}  {seen} examples  loss: {values}")


def seed_corpus(training: dict[str, Any]) -> None:
    """Set seeds as `spacy train` does before it reads the corpus: augmenters draw from
    the same random numbers as the order of examples."""
    if training["seed"] is not None:
        fix_random_seed(training["seed"])


def batches_of(
    examples: Sequence[Stub],
    training: dict[str, Any],
    shuffle: Callable[[MutableSequence[int]], None],
) -> _Batches:
    """Make the batches of all epochs; max_epochs = 0 has no last one."""
    order = array("q", range(len(examples)))
    for epoch in islice(count(), training["max_epochs"] or None):
        shuffle(order)
        yield from _of_epoch(epoch, map(examples.__getitem__, order), training)


def _streamed(job: Job) -> _Batches:
    """Yield the batches of a corpus that is read again in every epoch."""
    corpus = training_corpus(job.nlp, job.training)
    annotators = annotators_of(job.nlp, job.training)
    for epoch in count():
        stubs = read_stubs(corpus(job.nlp), job.components, annotators)
        yield from _of_epoch(epoch, stubs, job.training)


def _of_epoch(epoch: int, stubs: Iterable[Stub], training: dict[str, Any]) -> _Batches:
    batch = None
    for batch in training["batcher"](stubs):
        yield epoch, list(batch)
    if batch is None:
        raise ValueError(Errors.LP779)


def _steps(
    learners: _Learners,
    training: dict[str, Any],
    batches: _Batches,
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
