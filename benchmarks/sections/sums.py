"""Forward-backward alone, and what a frozen model answers by it."""

from dataclasses import asdict
from typing import Any

from ..context import BASE, Bench, ratios, values
from ..process import Task
from ..report import Row

SHAPES: dict[str, dict[str, Any]] = {
    "23 labels": {"labels": 23},
    "23 labels, double": {"labels": 23, "wide": True},
    "3 labels": {"labels": 3},
    "45 labels": {"labels": 45},
    "9 labels, order 2": {"labels": 9, "order": 2},
    "23 labels, scores beyond the range of float": {"labels": 23, "size": 20.0},
}
QUESTIONS = ("marginals", "max_marginals", "log_scores", "span_probabilities")


def sums(bench: Bench) -> list[Row]:
    """Microseconds a token of random sentences of 24 tokens; then of real ones."""
    times = 10 if bench.limit else 2000
    tasks = {
        name: Task("sums.random_scores", {**shape, "times": times})
        for name, shape in SHAPES.items()
    }
    bench.make(BASE)
    tasks["questions"] = Task(
        "sums.questions",
        {
            "corpus": asdict(bench.corpora.chunks),
            "model": str(bench.model(BASE)),
            "passes": bench.passes,
        },
    )
    results = bench.take(tasks)
    rows = []
    for name in SHAPES:
        alone = values(results[name], "seconds")
        both = values(results[name], "seconds_with_edges")
        rows += [
            Row(f"{name}: states", [1e6 * x for x in alone], "us/token"),
            Row(f"{name}: states and edges", [1e6 * x for x in both], "us/token"),
        ]
    answers = results["questions"]
    search = values(answers, "decode")
    labels = answers[0]["labels"]
    what = f"search, {labels} labels"
    rows.append(Row(what, [1e6 * x for x in search], "us/token"))
    for question in QUESTIONS:
        seconds = values(answers, question)
        rows += [
            Row(question, [1e6 * x for x in seconds], "us/token"),
            Row(f"{question} / search", ratios(seconds, search), "x"),
        ]
    return rows
