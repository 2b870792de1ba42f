"""What a frozen model answers by forward-backward."""

from dataclasses import asdict

from ..context import BASE, Bench, ratios, values
from ..process import Task
from ..report import Row

QUESTIONS = ("marginals", "max_marginals", "log_scores", "span_probabilities")


def sums(bench: Bench) -> list[Row]:
    """Measure microseconds a token of each question."""
    bench.make(BASE)
    arguments = {
        "corpus": asdict(bench.corpora.chunks),
        "model": str(bench.model(BASE)),
        "passes": bench.passes,
    }
    answers = bench.take({"questions": Task("sums.questions", arguments)})["questions"]
    search = values(answers, "decode")
    labels = answers[0]["labels"]
    what = f"search, {labels} labels"
    rows = [Row(what, [1e6 * x for x in search], "us/token")]
    for question in QUESTIONS:
        seconds = values(answers, question)
        rows += [
            Row(question, [1e6 * x for x in seconds], "us/token"),
            Row(f"{question} / search", ratios(seconds, search), "x"),
        ]
    return rows
