"""Training: complete, an epoch alone, and what comes out."""

from statistics import mean

from ..context import Bench, ratios, values
from ..report import Row


def training(bench: Bench) -> list[Row]:
    """Ours without the host's loop, beside CRFsuite."""
    tasks = {"spacy latperc fit": bench.fit()}
    if bench.peer:
        tasks["CRFsuite"] = bench.crfsuite()
    tasks["epochs, features cached"] = bench.kernel()
    results = bench.take(tasks)
    ours = results["spacy latperc fit"]
    kernel = results["epochs, features cached"]
    seconds = values(ours, "seconds")
    epochs = [mean(result["epoch_seconds"]) for result in kernel]
    rows = [
        Row(
            "file to saved model, spacy latperc fit",
            seconds,
            "s",
        ),
        Row("epoch, features cached", epochs, "s"),
        Row("features and gold labels", values(kernel, "prepare_seconds"), "s"),
        Row("F1", values(ours, "f1"), "%"),
    ]
    if bench.peer:
        peer = results["CRFsuite"]
        peer_seconds = values(peer, "seconds")
        peer_epochs = [mean(result["epoch_seconds"]) for result in peer]
        before = [x["features_seconds"] + x["append_seconds"] for x in peer]
        rows += [
            Row("file to saved model, CRFsuite", peer_seconds, "s"),
            Row("epoch of CRFsuite, from its log", peer_epochs, "s"),
            Row("features and gold labels, CRFsuite", before, "s"),
            Row("F1, CRFsuite", values(peer, "f1"), "%"),
            Row(
                "CRFsuite's time / ours, complete",
                ratios(peer_seconds, seconds),
                "x",
            ),
            Row(
                "CRFsuite's wall time / ours, complete",
                ratios(values(peer, "wall_seconds"), values(ours, "wall_seconds")),
                "x",
            ),
            Row(
                "CRFsuite's time / ours, epoch",
                ratios(peer_epochs, epochs),
                "x",
            ),
        ]
    return rows
