"""What a second thread gains."""

from dataclasses import asdict

from ..context import BASE, Bench, values
from ..process import Task
from ..report import Row, at_least
from .tagging import NAMES, pipeline_task

KINDS = (BASE, "tagger")
INPUTS: dict[str, list[str]] = {BASE: ["tag"], "tagger": []}
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
    tasks = {
        f"two shards, {kind}": Task("threads.learn", {**given, "kind": kind})
        for kind in (BASE, "chunker", "tagger")
    }
    tasks["two parts, CRF"] = Task("threads.slope", {**given, "kind": BASE})
    results = bench.take(tasks)
    rows = []
    for name, found in results.items():
        key = "slope" if "slope" in found[0] else "learn"
        what = name.split(", ")[1]
        of_two = f"learning, {what}: {{}} of one / of the busier of two"
        goal = bench.target(at_least(1.6))
        work = values(found, f"{key}_work")
        rows.append(Row(of_two.format("work"), work, "x", goal))
        wall = f"learning, {what}: wall time of one / of two"
        rows.append(Row(wall, values(found, key), "x"))
    return rows
