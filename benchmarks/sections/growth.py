"""Growth of an epoch's time with the data and with the number of labels."""

from math import log
from statistics import mean, median
from typing import Any

from ..context import Bench, values
from ..corpora import read_sentences
from ..process import Result
from ..report import Row

PARTS = {"1/8": 8, "1/4": 4, "1/2": 2, "all": 1}
LABELS: dict[str, dict[str, Any]] = {
    "NP only, IOB2": {"types": ["NP"]},
    "all types, IOB2": {},
    "all types, O+C": {"scheme": "O+C"},
}


def growth(bench: Bench) -> list[Row]:
    """Ours with features cached, and CRFsuite's own count of seconds."""
    n = bench.limit or len(read_sentences(bench.corpora.chunks.train))
    limits = {part: n // share if share > 1 else None for part, share in PARTS.items()}
    ours = bench.take(
        {f"{part} of the data": bench.kernel(limit=x) for part, x in limits.items()}
    )
    tokens = [results[0]["tokens"] for results in ours.values()]
    rows = _with_data("ours", list(ours.values()), tokens)
    if bench.peer:
        peer = bench.take(
            {
                f"CRFsuite, {part} of the data": bench.crfsuite(limit=x)
                for part, x in limits.items()
            },
            runs=1,
        )
        rows += _with_data("CRFsuite", list(peer.values()), tokens)
    return rows + _with_labels(bench)


def _with_data(who: str, parts: list[list[Result]], tokens: list[int]) -> list[Row]:
    rows = []
    seconds = []
    for part, results, n in zip(PARTS, parts, tokens, strict=True):
        epochs = [mean(result["epoch_seconds"]) for result in results]
        seconds.append(median(epochs))
        per_token = [1e6 * epoch / n for epoch in epochs]
        rows.append(Row(f"{who}, {part} ({n:,} tokens)", per_token, "us/token/epoch"))
    if seconds[0] > 0:  # CRFsuite's log counts milliseconds
        exponent = log(seconds[-1] / seconds[0]) / log(tokens[-1] / tokens[0])
        rows.append(Row(f"{who}: time grows with tokens to the power", [exponent]))
    return rows


def _with_labels(bench: Bench) -> list[Row]:
    results = bench.take(
        {name: bench.kernel(**settings) for name, settings in LABELS.items()}
    )
    rows = []
    for name, runs in results.items():
        labels, tokens = runs[0]["labels"], runs[0]["tokens"]
        per_token = [
            1e6 * mean(epoch) / tokens for epoch in values(runs, "epoch_seconds")
        ]
        rows.append(Row(f"{name}: {labels} labels", per_token, "us/token/epoch"))
    return rows
