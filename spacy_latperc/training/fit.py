"""Training without the host's loop: examples are read once, then only arrays are left.

The order of examples, the evaluations and the end are those of `spacy train` with the
same config, so that model-last is the same as its model-last, byte for byte.
"""

import gc
import random
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import DEFAULT_CONFIG, Language
from spacy.schemas import ConfigSchemaTraining
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.training.loop import (
    DIR_MODEL_BEST,
    DIR_MODEL_LAST,
    create_before_to_disk_callback,
    create_evaluation_callback,
    train_while_improving,
    update_meta,
)
from spacy.util import minibatch, registry, resolve_dot_names
from thinc.api import Config
from wasabi import msg

from ..errors import Errors, Warnings
from ..io.atomic import whole_files
from ..io.pipelines import check_room, save_pipeline
from ..io.progress import counted
from ..kernels.chains import FeatureBlock
from ..pipeline.base import LearnerPipe
from .card import complete_card

READ_AT_ONCE = 256
# What the garbage collector waits for while a corpus is read; see `rare_collections`.
RARELY = (100_000, 50, 100)

# (epoch, epochs, sentences learned from, loss of the epoch by component)
Progress = Callable[[int, int, int, dict[str, float]], None]


@dataclass(eq=False, slots=True)
class _Stub:
    """Stands for an example where spaCy's batchers and its sorting ask for lengths.

    prepared: for each component, in order, its features and gold labels.
    """

    length: int
    prepared: list[tuple[FeatureBlock, NDArray[np.int32]]]

    def __len__(self) -> int:
        return self.length

    @property
    def predicted(self) -> "_Stub":
        return self

    reference = predicted
    x = predicted
    y = predicted


@dataclass(eq=False)
class _Learners:
    """Stands for the pipeline in spaCy's loop: it learns from stubs."""

    nlp: Language
    components: list[tuple[str, LearnerPipe]]
    epoch_losses: dict[str, float] = field(default_factory=dict)

    @property
    def pipeline(self) -> list:
        """No component of the loop's own: nothing is left to finish after `update`."""
        return []

    def use_params(self, params: Any) -> Any:
        return self.nlp.use_params(params)

    def update(
        self, part: list[_Stub], *, losses: dict[str, float], **unused: Any
    ) -> dict[str, float]:
        for number, (name, component) in enumerate(self.components):
            features = [stub.prepared[number][0] for stub in part]
            gold = np.concatenate([stub.prepared[number][1] for stub in part])
            loss = component.learn(features, gold)[0] if len(gold) else 0.0
            for sums in (losses, self.epoch_losses):
                sums[name] = sums.get(name, 0.0) + loss
        return losses


@contextmanager
def rare_collections() -> Iterator[None]:
    """Let the garbage collector look less often.

    Docs and Examples are no part of a cycle and go without it. Meanwhile it walks over
    all that is kept of the corpus again and again, for a quarter of the time of `fit`.
    """
    before = gc.get_threshold()
    if before[0]:  # 0: somebody wants none
        gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@rare_collections()
def fit(config: Config, *, progress: Progress | None = None) -> Language:
    """Train the pipeline of a config, without evaluation.

    Args:
        config: As for `spacy train`; what it leaves out gets spaCy's defaults.
        progress: Told of each epoch.

    Returns:
        The pipeline after the last epoch.
    """
    nlp, training = _initialized(config)
    learners = _Learners(nlp, _components(nlp, training))
    (corpus,) = resolve_dot_names(nlp.config.interpolate(), [training["train_corpus"]])
    stubs = _read_all(nlp, corpus, learners.components)
    seen, last = 0, 0

    def report() -> None:
        if progress:
            epochs = training["max_epochs"]
            progress(last + 1, epochs, seen, learners.epoch_losses)

    def batches() -> Iterator[tuple[int, list[_Stub]]]:
        """Each batch; what is behind is reported when the next epoch begins."""
        nonlocal seen, last
        for epoch, batch in _batches(stubs, training):
            if epoch != last:
                report()
                seen, last, learners.epoch_losses = 0, epoch, {}
            seen += len(batch)
            yield epoch, batch

    for _ in _steps(learners, training, batches(), None):
        pass
    report()
    complete_card(nlp)
    return nlp


@rare_collections()
def fit_and_save(
    config: Config,
    output: Path,
    *,
    evaluate: bool = True,
    quiet: bool = False,
) -> Language:
    """Train the pipeline of a config as `spacy train` does, and save it.

    The pipeline is scored on the development corpus when `spacy train` would do so; the
    best one goes to model-best, the last one to model-last, with its scores.

    Args:
        config: As for `spacy train`; what it leaves out gets spaCy's defaults.
        output: The folder for model-best and model-last.
        evaluate: False leaves out all scores, and model-best.
        quiet: No progress.

    Returns:
        The pipeline after the last epoch.
    """
    best, last = output / DIR_MODEL_BEST, output / DIR_MODEL_LAST
    check_room(last)
    if not evaluate:
        nlp = fit(config, progress=None if quiet else _show_epoch)
        save_pipeline(prepare_to_save(nlp), last)
        if best.exists():
            warnings.warn(Warnings.LP930.format(path=best), stacklevel=2)
        return nlp
    check_room(best)
    nlp, training = _initialized(config)
    frozen = training["frozen_components"]
    learners = _Learners(nlp, _components(nlp, training))
    names = [training["train_corpus"], training["dev_corpus"]]
    corpus, dev_corpus = resolve_dot_names(nlp.config.interpolate(), names)
    if next(iter(dev_corpus(nlp)), None) is None:
        raise ValueError(Errors.LP568)
    stubs = _read_all(nlp, corpus, learners.components, quiet=quiet)
    scores = create_evaluation_callback(nlp, dev_corpus, training["score_weights"])
    before_to_disk = create_before_to_disk_callback(training["before_to_disk"])
    interrupted: KeyboardInterrupt | None = None
    # Both get their names at the end: until then the last results are there.
    with whole_files([best, last]) as (fresh_best, fresh_last):
        with nlp.select_pipes(disable=frozen):
            stdout: IO = StringIO() if quiet else sys.stdout
            log_step, finalize = training["logger"](nlp, stdout, sys.stderr)
        try:
            steps = _steps(learners, training, _batches(stubs, training), scores)
            for _, info, is_best in steps:
                if is_best is not None:
                    with nlp.select_pipes(disable=frozen):
                        update_meta(training, nlp, info)
                    complete_card(nlp)
                if is_best:
                    save_pipeline(before_to_disk(nlp), fresh_best)
                    info["output_path"] = str(best)
                log_step(info if is_best is not None else None)
        except KeyboardInterrupt as stop:
            if not fresh_best.exists():
                raise
            interrupted = stop  # once what was learned is saved
        finally:
            finalize()
        save_pipeline(before_to_disk(nlp), fresh_last)
    if interrupted is not None:
        raise interrupted
    return nlp


def prepare_to_save(nlp: Language) -> Language:
    """What [training.before_to_disk] of its config makes of a trained pipeline."""
    training = _resolved_training(nlp)
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
        nlp: The pipeline whose config says how.
        name: Of the component.
        component: The component, which need not be in the pipeline.
        examples: What it learns from.
        epochs: How many passes over them.
        told: Called after each pass.
    """
    training = {**_resolved_training(nlp), "max_epochs": epochs, "before_update": None}
    learners = _Learners(nlp, [(name, component)])
    stubs = list(_read(nlp, lambda _: examples, learners.components))
    last = 0
    for _, info, _ in _steps(learners, training, _batches(stubs, training), None):
        if info["epoch"] != last:
            last = info["epoch"]
            told()
    told()


def _initialized(config: Config) -> tuple[Language, dict[str, Any]]:
    nlp = init_nlp(DEFAULT_CONFIG.merge(config))
    return nlp, _resolved_training(nlp)


def _resolved_training(nlp: Language) -> dict[str, Any]:
    """[training] of its config, with new functions: some batchers keep a state."""
    training = nlp.config.interpolate()["training"]
    return registry.resolve(training, schema=ConfigSchemaTraining)


def _show_epoch(epoch: int, epochs: int, seen: int, losses: dict[str, float]) -> None:
    values = "  ".join(f"{name} {loss:.1f}" for name, loss in losses.items())
    msg.text(f"Epoch {epoch}/{epochs}  {seen} examples  loss: {values}")


def _batches(
    stubs: list[_Stub], training: dict[str, Any]
) -> Iterator[tuple[int, list[_Stub]]]:
    """The batches of all epochs, shuffled as `spacy train` does."""
    shuffler = random.Random(training["seed"])
    for epoch in range(training["max_epochs"]):
        shuffler.shuffle(stubs)
        for batch in training["batcher"](stubs):
            yield epoch, list(batch)


def _steps(
    learners: _Learners,
    training: dict[str, Any],
    batches: Iterator[tuple[int, list[_Stub]]],
    evaluate: Callable[[], tuple[float, dict[str, float]]] | None,
) -> Iterator[tuple[list[_Stub], dict[str, Any], bool | None]]:
    """spaCy's own loop over stubs. Without evaluation there is no patience either."""
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
        annotating_components=[],
        before_update=before_update
        and (lambda _, where: before_update(learners.nlp, where)),
    )


def _components(nlp: Language, training: dict) -> list[tuple[str, LearnerPipe]]:
    if training["annotating_components"]:
        names = training["annotating_components"]
        raise ValueError(Errors.LP041.format(names=names))
    if training["max_epochs"] < 1:
        raise ValueError(Errors.LP042.format(max_epochs=training["max_epochs"]))
    components = []
    for name, component in nlp.pipeline:
        if name in training["frozen_components"]:
            continue
        if isinstance(component, LearnerPipe):
            components.append((name, component))
        elif getattr(component, "is_trainable", False):
            raise ValueError(Errors.LP040.format(name=name))
    return components


def _read_all(
    nlp: Language,
    corpus: Callable[[Language], Iterable[Example]],
    components: list[tuple[str, LearnerPipe]],
    *,
    quiet: bool = False,
) -> list[_Stub]:
    """The corpus as features and gold labels; the examples are let go."""
    stubs = list(counted(_read(nlp, corpus, components), "examples read", quiet=quiet))
    if not stubs:
        raise ValueError(Errors.LP043)
    return stubs


def _read(
    nlp: Language,
    corpus: Callable[[Language], Iterable[Example]],
    components: list[tuple[str, LearnerPipe]],
) -> Iterator[_Stub]:
    for examples in minibatch(corpus(nlp), READ_AT_ONCE):
        stubs = [_Stub(len(example.predicted), []) for example in examples]
        for _, component in components:
            prepared = component.prepare(examples)
            for stub, item in zip(stubs, prepared, strict=True):
                stub.prepared.append(item)
        yield from stubs
