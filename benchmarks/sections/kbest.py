"""What ten label sequences cost beside the best one."""

from dataclasses import asdict
from typing import Any

from ..context import Bench, values
from ..process import Task
from ..report import Row, Target, at_most

K = 10
CASES: dict[str, tuple[dict[str, Any], Target | None]] = {
    "NP": ({"types": ["NP"]}, at_most(3)),
    "all types": ({}, at_most(5)),
    "all types, edge templates": ({"edges": True}, None),
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
        for name, (settings, _) in CASES.items()
    }
    rows = []
    for name, results in bench.take(tasks).items():
        who = f"{name}, {results[0]['labels']} labels"
        target = CASES[name][1]
        rows += [
            Row(f"{who}: the best", values(results, "best_ns"), "ns/token"),
            Row(f"{who}: the {K} best", values(results, "kbest_ns"), "ns/token"),
            Row(
                f"{who}: {K} best / best",
                values(results, "ratio"),
                "x",
                bench.target(target) if target else None,
            ),
        ]
    return rows
