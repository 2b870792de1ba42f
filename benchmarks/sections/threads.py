"""The gain of a second thread in prediction."""

from ..context import BASE, Bench, values
from ..report import Row
from .tagging import NAMES, pipeline_task

INPUTS: dict[str, list[str]] = {BASE: ["tag"], "tagger": []}
FIGURES = {
    "search_work": "search, work of one thread / of the busier of two",
    "search": "search, wall time of one / of two",
    "pipe_work": "nlp.pipe, work of one thread / of the busier of two",
    "pipe": "nlp.pipe, wall time of one / of two",
}


def threads(bench: Bench) -> list[Row]:
    """Prediction with one thread and with two."""
    bench.make(*INPUTS)
    tasks = {
        f"two threads, {kind}": pipeline_task(
            bench, "threads.predict", kind, inputs=inputs
        )
        for kind, inputs in INPUTS.items()
    }
    results = bench.take(tasks)
    return [
        Row(f"{name}: {NAMES[kind]}", values(found, key), "x")
        for kind, found in zip(INPUTS, results.values(), strict=True)
        for key, name in FIGURES.items()
    ]
