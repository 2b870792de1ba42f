"""What a second thread gains."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from ..context import BASE, Bench, values
from ..process import Result, Task
from ..report import Row, Target, at_least
from .sizes import EPOCHS, larger_corpus
from .tagging import NAMES, pipeline_task

KINDS = (BASE, "tagger")
INPUTS: dict[str, list[str]] = {BASE: ["tag"], "tagger": []}
LARGER = ("1 M", "4 M")  # tokens
LARGER_PASSES = 6  # twice one line, twice two shards
FIGURES = {
    "search_work": "search, work of one thread / of the busier of two",
    "search": "search, wall time of one / of two",
    "pipe_work": "nlp.pipe, work of one thread / of the busier of two",
    "pipe": "nlp.pipe, wall time of one / of two",
}


def threads(bench: Bench) -> list[Row]:
    """Prediction with one thread and with two; learning in one line and in two
    shards."""
    bench.make(*KINDS)
    tasks = {
        f"two threads, {kind}": pipeline_task(
            bench, "threads.predict", kind, inputs=INPUTS[kind]
        )
        for kind in KINDS
    }
    results = bench.take(tasks)
    rows = []
    for kind, found in zip(KINDS, results.values(), strict=True):
        for key, name in FIGURES.items():
            goal = bench.target(at_least(1.8)) if key == "search_work" else None
            rows.append(Row(f"{name}: {NAMES[kind]}", values(found, key), "x", goal))
    return rows + _learning(bench)


def _learning(bench: Bench) -> list[Row]:
    given = {
        "corpus": asdict(bench.corpora.chunks),
        "limit": bench.limit,
        "epochs": bench.epochs,
        "passes": bench.passes,
    }
    kinds = (BASE, "chunker", "tagger")
    rows = []
    for dealt, what in ((False, "{}"), (True, "{} as fit --workers 2")):
        tasks = {
            what.format(kind): Task(
                "threads.learn", {**given, "kind": kind, "dealt": dealt}
            )
            for kind in kinds
        }
        goal = None if dealt else bench.target(at_least(1.6))
        rows += _gains(bench.take(tasks), "learn", goal)
    slope = {"CRF": Task("threads.slope", {**given, "kind": BASE})}
    goal = bench.target(at_least(1.6))
    return rows + _gains(bench.take(slope), "slope", goal) + _larger(bench)


def _larger(bench: Bench) -> list[Row]:
    """Mixing takes less of a pass where that is longer."""
    rows = []
    for size in LARGER:
        with larger_corpus(bench, size) as (corpus, _):
            given = {
                "corpus": asdict(corpus),
                "epochs": EPOCHS,
                "passes": LARGER_PASSES,
            }
            tasks = {
                f"{kind}, {size} tokens": Task("threads.learn", {**given, "kind": kind})
                for kind in (BASE, "chunker")
            }
            rows += _gains(bench.take(tasks, runs=1), "learn", None)
    return rows


def _gains(
    results: Mapping[str, Sequence[Result]], key: str, goal: Target | None
) -> list[Row]:
    rows = []
    for what, found in results.items():
        work = f"learning, {what}: work of one / of the busier of two"
        rows.append(Row(work, values(found, f"{key}_work"), "x", goal))
        wall = f"learning, {what}: wall time of one / of two"
        rows.append(Row(wall, values(found, key), "x"))
    return rows
