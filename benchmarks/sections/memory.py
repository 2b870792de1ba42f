"""Memory while training, and what a saved model weighs."""

from ..context import BASE, Bench, ratios, values
from ..process import Task
from ..report import Row


def memory(bench: Bench) -> list[Row]:
    """Peak memory of processes that did one thing each, rows, bytes, loading."""
    tasks = {"spaCy alone": Task("host.start_up"), "spacy latperc fit": bench.fit()}
    if bench.peer:
        tasks["CRFsuite"] = bench.crfsuite()
    tasks["epochs, features cached"] = bench.kernel()
    results = bench.take(tasks)
    bench.make(BASE)
    load = Task(
        "tagging.load", {"model": str(bench.model(BASE)), "passes": bench.passes}
    )
    loading = bench.take({"loading": load})["loading"]
    kernel = results["epochs, features cached"]
    ours = values(results["spacy latperc fit"], "peak_mb")
    rows = [
        Row("peak, spaCy imported", values(results["spaCy alone"], "peak_mb"), "MB"),
        Row("peak, spacy latperc fit", ours, "MB"),
    ]
    if bench.peer:
        peer = values(results["CRFsuite"], "peak_mb")
        rows += [
            Row("peak, CRFsuite's training", peer, "MB"),
            Row("ours / CRFsuite's", ratios(ours, peer), "x"),
            Row("model file, CRFsuite", values(results["CRFsuite"], "model_mb"), "MB"),
        ]
    rows += [
        Row("model file", values(loading, "model_mb"), "MB"),
        Row("model file, 16 bits", values(loading, "small_model_mb"), "MB"),
        Row("features seen", values(kernel, "features")),
        Row("features with a row in the model", values(kernel, "rows")),
        Row(
            "loading the model",
            values(loading, "milliseconds"),
            "ms",
        ),
    ]
    return rows
