"""Ten label sequences, compared with the best one."""

from dataclasses import asdict
from typing import Any

from ..context import Bench, values
from ..process import Task
from ..report import Row

K = 10
CASES: dict[str, dict[str, Any]] = {
    "NP": {"types": ["NP"]},
    "all types": {},
    "all types, edge templates": {"edges": True},
}


def kbest(bench: Bench) -> list[Row]:
    """Nanoseconds a token, look-up of features and lattice included."""
    common = {
        "corpus": asdict(bench.corpora.chunks),
        "limit": bench.limit,
        "passes": bench.passes,
        "k": K,
    }
    tasks = {
        name: Task("kbest.beside_best", {**common, **settings})
        for name, settings in CASES.items()
    }
    rows = []
    for name, results in bench.take(tasks).items():
        who = f"{name}, {results[0]['labels']} labels"
        rows += [
            Row(f"{who}: the best", values(results, "best_ns"), "ns/token"),
            Row(f"{who}: the {K} best", values(results, "kbest_ns"), "ns/token"),
            Row(
                f"{who}: {K} best / best",
                values(results, "ratio"),
                "x",
            ),
        ]
    return rows
