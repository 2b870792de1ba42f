"""Comparison of models and configs on the same data."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from time import perf_counter, process_time
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Model

from ..errors import Errors
from ..io.pipelines import load_pipeline
from ..io.user_code import import_again, imported_code
from ..report.comparison import Comparison, reader_of
from ..report.page import FACTORIES
from ..training.fit import fit, prepare_to_save
from .dataset import read_examples
from .grids import System
from .make_config import SCORES
from .summary import Result


@dataclass(frozen=True)
class Task:
    """A system to be trained with a seed and scored."""

    system: System
    seed: int = 0
    share: float = 1.0
    corpus: str = ""


def run(task: Task) -> Result:
    """Train a system, or load it, and score it."""
    start = process_time()
    if task.system.model:
        nlp, seconds = load_pipeline(task.system.model), 0.0
    else:
        nlp = fit(task.system.trained_config(task.seed, task.share))
        if task.corpus:  # else the scores are of data that saving is fitted to
            with warnings.catch_warnings():
                # Probabilities are not compared.
                warnings.filterwarnings("ignore", r"\[LP915\]")
                nlp = prepare_to_save(nlp)
        seconds = process_time() - start
    examples = list(read_examples(nlp, task.corpus))
    docs = [example.predicted.copy() for example in examples]
    name = _task(nlp)
    predicted, speed = annotate(nlp, docs)  # first: encoders keep what they have read
    scores = nlp.evaluate(examples)
    gold = [example.reference for example in examples]
    counts = []
    for right, found in Comparison(gold, predicted, reader_of(name)).pairs:
        same = {x.answer for x in right} & {x.answer for x in found}
        counts.append((len(same), len(found), len(right)))
    models = [getattr(pipe, "model", None) for _, pipe in nlp.pipeline]
    size = sum(len(x.to_bytes()) for x in models if isinstance(x, Model))
    return Result(
        task.system.name,
        task.seed,
        task.share,
        seconds,
        speed,
        size / 1e6,
        SCORES[name],
        {k: v for k, v in scores.items() if isinstance(v, float) and 0 <= v <= 1},
        counts,
    )


def annotate(nlp: Language, docs: Iterable[Doc]) -> tuple[list[Doc], float]:
    """Return the Docs that `nlp.pipe` makes of these, and its tokens per second."""
    start = perf_counter()
    found = list(nlp.pipe(docs))
    return found, sum(map(len, found)) / (perf_counter() - start)


def _task(nlp: Language) -> str:
    """Return the task of the last component that has one."""
    tasks = {factory: task for task, factory in FACTORIES.items()}
    tasks |= {"ner": "entities", "tagger": "tags", "parser": "trees"}
    found = [tasks.get(nlp.get_pipe_meta(name).factory) for name in nlp.pipe_names]
    known = [task for task in found if task]
    if not known:
        raise ValueError(Errors.LP868.format(names=", ".join(nlp.pipe_names) or "none"))
    return known[-1]


def run_all(
    tasks: Sequence[Task], processes: int = 1, ray: Any = None
) -> Iterator[Result]:
    """Yield the results of tasks in their order, by processes on this machine or on the
    cluster that this module of Ray is connected to."""
    if ray is not None:
        remote = ray.remote(num_cpus=1)(run)
        yield from map(ray.get, [remote.remote(task) for task in tasks])
    elif processes == 1:
        yield from map(run, tasks)
    else:
        spawn, code = get_context("spawn"), (imported_code(),)
        with ProcessPoolExecutor(processes, spawn, import_again, code) as pool:
            yield from pool.map(run, tasks)
