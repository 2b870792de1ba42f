"""Every learner and those of CRFsuite, on the same templates and labels."""

from collections.abc import Sequence
from dataclasses import asdict
from statistics import mean

from ..context import Bench, values
from ..learners import CRFSUITE, OURS
from ..process import Result, Task
from ..report import Row


def learners(bench: Bench) -> list[Row]:
    """All chunk types: F, and seconds of learning."""
    common = {"corpus": asdict(bench.corpora.chunks), "limit": bench.limit}
    tasks = {}
    for entry in OURS:
        settings = asdict(entry)
        name = settings.pop("name")
        settings["epochs"] = min(entry.epochs, bench.epochs * 2)
        tasks[name] = Task("learners.ours", {**common, **settings})
    if bench.peer:
        for algorithm, parameters in CRFSUITE.items():
            tasks[f"CRFsuite {algorithm}"] = Task(
                "crfsuite.learn",
                {
                    **common,
                    "algorithm": algorithm,
                    "parameters": {
                        key: min(value, bench.epochs * 5)
                        for key, value in parameters.items()
                    },
                    "output": str(bench.model(f"learners-{algorithm}")),
                },
            )
    rows = []
    for name, results in bench.take(tasks, runs=1).items():
        rows += _of_one(name, results)
    return rows


def _of_one(name: str, results: Sequence[Result]) -> list[Row]:
    epochs = [mean(result["epoch_seconds"]) for result in results]
    return [
        Row(f"{name}: F1", values(results, "f1"), "%"),
        Row(f"{name}: epoch", epochs, "s"),
        Row(f"{name}: learning", values(results, "seconds"), "s"),
    ]
