"""Training on arrays: examples are read once, and only their features are kept.

The order of examples, the evaluations and the end are the same as in `spacy train` with
the same config, so that model-last is the same, byte for byte.
"""

import sys
import warnings
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import IO, Any

from spacy.language import DEFAULT_CONFIG, Language
from spacy.training import loop
from spacy.training.initialize import init_nlp
from spacy.util import resolve_dot_names
from thinc.api import Config

from ..errors import Errors, Warnings
from ..errors.check import locate_settings
from ..io import pipelines
from ..io.outputs import check_suffix
from ..io.process_memory import rare_collections, trim_memory
from .card import complete_card
from .check_config import check_config, check_given, check_score_weights
from .checkpoint import FILE
from .course import (
    Batches,
    Course,
    open_course,
    resolved_training,
    show_epoch,
    training_steps,
)

# (epoch, epochs, sentences seen, loss of the epoch by component)
Progress = Callable[[int, int, int, dict[str, float]], None]


@rare_collections()
def fit(
    config: Config,
    *,
    progress: Progress | None = None,
    workers: Any = None,
    checkpoint: Path | None = None,
    resume: bool = False,
) -> Language:
    """Train the pipeline of a config, without evaluation.

    Args:
        config: A config as for `spacy train`; missing settings get spaCy's defaults.
        progress: A callback for each epoch.
        workers: Workers that keep shards of the corpus (a RayWorkers); None for plain
            training.
        checkpoint: The file for the state after each epoch, with workers.
        resume: Continue from that file, if there is one.

    Returns:
        The pipeline after the last epoch.
    """
    nlp, training = _initialized(config)
    _check_end(training, workers, evaluate=False)
    with open_course(nlp, training, workers, checkpoint, resume) as course:
        _follow(course, progress)
    del course
    trim_memory()  # and to save the pipeline, too
    complete_card(nlp)
    return nlp


def _follow(course: Course, progress: Progress | None) -> None:
    """Train without evaluation."""
    learners, seen, last = course.learners, 0, 0

    def report() -> None:
        if progress:
            epochs = course.training["max_epochs"]
            progress(last + 1, epochs, seen, learners.epoch_losses)

    def batches() -> Batches:
        """Yield batches, and report each epoch at the beginning of the next."""
        nonlocal seen, last
        for epoch, batch in course.batches:
            if epoch != last:
                if seen:
                    report()
                seen, last, learners.epoch_losses = 0, epoch, {}
            seen += course.examples or len(batch)
            yield epoch, batch

    for _ in training_steps(learners, course.training, batches(), None):
        pass
    report()


@rare_collections()
def fit_and_save(
    config: Config,
    output: Path,
    *,
    evaluate: bool = True,
    quiet: bool = False,
    workers: Any = None,
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
        workers: Workers that keep shards of the corpus (a RayWorkers); None for plain
            training.
        resume: Continue a training that was stopped, with workers.

    Returns:
        The pipeline after the last epoch.
    """
    checkpoint = output / FILE
    best, last = output / loop.DIR_MODEL_BEST, output / loop.DIR_MODEL_LAST
    check_suffix(output)
    pipelines.check_room(last)
    if not evaluate:
        progress = None if quiet else show_epoch
        nlp = fit(
            config,
            progress=progress,
            workers=workers,
            checkpoint=checkpoint,
            resume=resume,
        )
        pipelines.save_pipeline(prepare_to_save(nlp), last)
        checkpoint.unlink(missing_ok=True)
        if best.exists():
            warnings.warn(Warnings.LP930.format(path=best), stacklevel=2)
        return nlp
    pipelines.check_room(best)
    nlp = _fit_and_score(config, best, last, checkpoint, workers, resume, quiet)
    checkpoint.unlink(missing_ok=True)
    return nlp


def _fit_and_score(
    config: Config,
    best: Path,
    last: Path,
    checkpoint: Path,
    workers: Any,
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
    scores = loop.create_evaluation_callback(nlp, dev_corpus, training["score_weights"])
    before_to_disk = loop.create_before_to_disk_callback(training["before_to_disk"])

    def save(fresh: Path) -> None:
        # Only components of other packages have averages in the optimizer.
        with nlp.use_params(training["optimizer"].averages):
            pipelines.save_pipeline(before_to_disk(nlp), fresh)

    interrupted: KeyboardInterrupt | None = None
    evaluations = 0
    # Both replace older results only at the end.
    with (
        open_course(nlp, training, workers, checkpoint, resume, quiet=quiet) as course,
        pipelines.whole_pipelines([best, last]) as (fresh_best, fresh_last),
    ):
        with nlp.select_pipes(disable=frozen):
            stdout: IO = StringIO() if quiet else sys.stdout
            log_step, finalize = training["logger"](nlp, stdout, sys.stderr)
        try:
            steps = training_steps(
                course.learners, course.training, course.batches, scores
            )
            for _, info, is_best in steps:
                if is_best is not None:
                    evaluations += 1
                    if evaluations == 1:
                        weights = training["score_weights"]
                        check_score_weights(nlp, weights, info["other_scores"])
                    with nlp.select_pipes(disable=frozen):
                        loop.update_meta(training, nlp, info)
                    complete_card(nlp)
                if is_best:
                    save(fresh_best)
                    info["output_path"] = str(best)
                log_step(info if is_best is not None else None)
        except KeyboardInterrupt as stop:
            if not fresh_best.exists():
                raise
            interrupted = stop  # raised after saving
        finally:
            finalize()
        if not evaluations:  # interrupted after the last epoch
            pipelines.save_pipeline(before_to_disk(nlp), fresh_best)
        save(fresh_last)
        if evaluations == 1 and info["step"] and not interrupted:
            batches = info["step"] + 1
            epoch = -(-batches // (info["epoch"] + 1))
            message = Warnings.LP935.format(batches=batches, epoch=epoch)
            warnings.warn(message, stacklevel=2)
    if interrupted is not None:
        raise interrupted
    return nlp


def _check_end(training: dict[str, Any], workers: Any, *, evaluate: bool) -> None:
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
    return loop.create_before_to_disk_callback(training["before_to_disk"])(nlp)


def _initialized(config: Config) -> tuple[Language, dict[str, Any]]:
    check_config(config)
    with locate_settings(config):
        nlp = init_nlp(DEFAULT_CONFIG.merge(config))
    return nlp, resolved_training(nlp)
