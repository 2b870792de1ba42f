"""What a second thread gains."""

from ..context import BASE, Bench, values
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
    """Prediction with one thread and with two."""
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
    return rows
