"""Comparison of models and configs on the same data."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import spacy
import srsly
from spacy.language import Language
from spacy.util import load_config
from thinc.api import Config, Model

from ..data.configured import (
    SECTION,
    block_examples,
)
from ..errors import Errors
from ..io.pipelines import CONFIG, load_pipeline
from ..io.user_code import import_again, imported_code
from ..report.comparison import Comparison, reader_of
from ..report.page import FACTORIES
from ..training.fit import fit, prepare_to_save
from .dataset import read_examples
from .make_config import SCORES
from .significance import Counts, p_value

GRIDS = (".yml", ".yaml")


@dataclass(frozen=True)
class System:
    """A model, or a config to train one.

    Attributes:
        name: Its name in tables.
        config: The text of the config; empty for a model.
        model: The folder of the model; empty for a config.
    """

    name: str
    config: str = ""
    model: str = ""


@dataclass(frozen=True)
class Task:
    """A system to be trained with a seed and scored."""

    system: System
    seed: int = 0
    share: float = 1.0
    corpus: str = ""


@dataclass(frozen=True)
class Result:
    """The result of a task.

    Attributes:
        name: The name of the system.
        seed: The seed.
        share: The share of the training data.
        seconds: The CPU seconds of training; 0 for a model.
        tokens_per_second: The speed of annotation.
        megabytes: The size of the model.
        score: The name of the score that is compared.
        scores: All scores that are shares.
        counts: Of each Doc, the right, predicted and gold items.
    """

    name: str
    seed: int
    share: float
    seconds: float
    tokens_per_second: float
    megabytes: float
    score: str
    scores: dict[str, float]
    counts: Counts


def read_systems(paths: Sequence[Path], overrides: Mapping[str, Any]) -> list[System]:
    """Read models, configs, and grids: files with a `config` and a `grid` of lists of
    values by setting, of which each combination is a system."""
    found = []
    for path in paths:
        if path.is_dir():
            if not (path / CONFIG).is_file():
                raise ValueError(Errors.LP330.format(path=path))
            found.append(System(str(path), model=str(path)))
            continue
        grid: Any = {"config": path.name, "grid": {}}
        if path.suffix in GRIDS:
            grid = srsly.read_yaml(path)
            if not isinstance(grid, dict) or not {"config", "grid"} <= grid.keys():
                raise ValueError(Errors.LP867.format(path=path))
        for values in product(*grid["grid"].values()):
            settings = dict(zip(grid["grid"], values, strict=True))
            config = load_config(
                path.parent / grid["config"],
                overrides={**overrides, **settings},
                interpolate=False,
            )
            shown = [f"{k.rpartition('.')[2]} {v}" for k, v in settings.items()]
            found.append(System(", ".join(shown) or str(path), config.to_str()))
    return found


def run(task: Task) -> Result:
    """Train a system, or load it, and score it."""
    start = process_time()
    if task.system.model:
        nlp, seconds = load_pipeline(task.system.model), 0.0
    else:
        config = Config().from_str(task.system.config, interpolate=False)
        nlp = fit(_with_share(with_seed(config, task.seed), task.share))
        if task.corpus:  # else the scores are of data that saving is fitted to
            nlp = prepare_to_save(nlp)
        seconds = process_time() - start
    examples = list(read_examples(nlp, task.corpus))
    docs = [example.predicted.copy() for example in examples]
    scores = nlp.evaluate(examples)
    begin = perf_counter()
    n_tokens = sum(map(len, nlp.pipe(docs)))
    speed = n_tokens / (perf_counter() - begin)
    name = _task(nlp)
    gold, predicted = zip(*((x.reference, x.predicted) for x in examples), strict=True)
    pairs = Comparison(gold, predicted, reader_of(name)).pairs
    counts = []
    for right, found in pairs:
        same = {x.answer for x in right} & {x.answer for x in found}
        counts.append((len(same), len(found), len(right)))
    return Result(
        task.system.name,
        task.seed,
        task.share,
        seconds,
        speed,
        sum(len(x.model.to_bytes()) for _, x in nlp.pipeline if _has_model(x)) / 1e6,
        SCORES[name],
        {k: v for k, v in scores.items() if isinstance(v, float) and 0 <= v <= 1},
        counts,
    )


def with_seed(config: Config, seed: int) -> Config:
    """Set the seed of a config for training and for every chain."""
    config = config.copy()
    config.setdefault("training", {})["seed"] = seed
    for component in config.get("components", {}).values():
        if isinstance(component.get("model"), dict):
            component["model"]["seed"] = seed
    return config


def _with_share(config: Config, share: float) -> Config:
    """Limit the training corpus of a config to the first part of it."""
    if share == 1:
        return config
    config = config.interpolate()
    name = config["training"].get("train_corpus", "corpora.train")
    block = config["corpora"][name.removeprefix(SECTION)]
    while "path" not in block and isinstance(block.get("corpus"), dict):
        block = block["corpus"]
    n = sum(1 for _ in block_examples(spacy.blank(config["nlp"]["lang"]), block))
    block["limit"] = max(round(share * n), 1)
    return config


def _task(nlp: Language) -> str:
    """Return the task of the last component that has one."""
    tasks = {factory: task for task, factory in FACTORIES.items()}
    tasks |= {"ner": "entities", "tagger": "tags", "parser": "trees"}
    found = [tasks.get(nlp.get_pipe_meta(name).factory) for name in nlp.pipe_names]
    known = [task for task in found if task]
    if not known:
        raise ValueError(Errors.LP868.format(names=", ".join(nlp.pipe_names) or "none"))
    return known[-1]


def _has_model(pipe: Any) -> bool:
    return isinstance(getattr(pipe, "model", None), Model)


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
        prepare = partial(import_again, imported_code())
        context = get_context("spawn")
        with ProcessPoolExecutor(processes, context, initializer=prepare) as pool:
            yield from pool.map(run, tasks)


@dataclass(frozen=True)
class Row:
    """The results of a system with all seeds.

    Attributes:
        name: Its name.
        share: The share of the training data.
        mean: The mean of the score, in percent.
        sd: Its standard deviation.
        p: The probability of a difference from the first system that is as large, if
            there were none; None for the first system, or other Docs.
        seconds: The median of the CPU seconds of training.
        tokens_per_second: The median speed.
        megabytes: The median size.
    """

    name: str
    share: float
    mean: float
    sd: float
    p: float | None
    seconds: float
    tokens_per_second: float
    megabytes: float


def summarise(results: Sequence[Result]) -> list[Row]:
    """Return a row for each system and share of the data."""
    groups: dict[tuple[str, float], list[Result]] = {}
    for each in results:
        groups.setdefault((each.name, each.share), []).append(each)
    rows: list[Row] = []
    first: dict[float, Any] = {}
    for (name, share), runs in groups.items():
        values = [100 * x.scores[x.score] for x in runs]
        # A sentence counts as often as there are seeds, on both sides.
        counts: Any = np.mean([np.array(x.counts) for x in runs], axis=0)
        base = first.setdefault(share, counts)
        p = None
        if base is not counts and len(base) == len(counts):
            p = p_value(base, counts)
        rows.append(
            Row(
                name,
                share,
                statistics.mean(values),
                statistics.stdev(values) if len(values) > 1 else 0.0,
                p,
                *(
                    statistics.median(getattr(x, key) for x in runs)
                    for key in ("seconds", "tokens_per_second", "megabytes")
                ),
            )
        )
    return rows


def figures(results: Sequence[Result], rows: Sequence[Row]) -> dict[str, Any]:
    """Return all figures as plain values, those of the first system by score."""
    first = [x for x in results if (x.name, x.share) == (rows[0].name, rows[0].share)]
    runs = [
        {"name": x.name, "share": x.share, "seed": x.seed, "seconds": x.seconds}
        | {"scores": x.scores}
        for x in results
    ]
    scores = {}
    for name in first[0].scores:
        values = [100 * x.scores[name] for x in first if name in x.scores]
        sd = statistics.stdev(values) if len(values) > 1 else 0.0
        scores[name] = {"mean": statistics.mean(values), "sd": sd}
    return {
        "systems": [asdict(row) for row in rows],
        "scores": scores,
        "seconds": rows[0].seconds,
        "runs": runs,
    }
