"""Sentences told apart in five views, with exact features."""

from ..context import Bench, values
from ..corpora import plain_text
from ..process import Task
from ..report import Row, at_least

PAIRS, ANSWERED = 14_000, 3000
LEAST_RATE = 25_000


def views(bench: Bench) -> list[Row]:
    """How fast a classifier answers, while it learns and after."""
    text, whole = plain_text(bench.corpora, bench.scratch)
    goal = at_least(LEAST_RATE) if whole and bench.goals else None
    settings = {
        "text": str(text),
        "pairs": bench.limit or PAIRS,
        "answered": bench.limit or ANSWERED,
        "passes": min(bench.passes, 3),
    }
    kinds = {"not averaged": False, "averaged": True}
    results = bench.take(
        {
            name: Task("views.answering", {**settings, "averaged": averaged})
            for name, averaged in kinds.items()
        }
    )
    rows = []
    for name, found in results.items():
        what = f"weights {name}, {found[0]['rows']:,} rows"
        rows += [
            Row(f"{what}: learning", values(found, "learn_rate"), "sentences/s"),
            Row(
                f"{what}: answers between two updates",
                values(found, "live_rate"),
                "sentences/s",
                goal,
            ),
            Row(f"{what}: writing rows out", values(found, "freeze_seconds"), "s"),
            Row(
                f"{what}: answers after that, fresh text",
                values(found, "frozen_rate"),
                "sentences/s",
                goal,
            ),
            Row(f"{what}: peak memory", values(found, "peak_mb"), "MB"),
        ]
    return rows
