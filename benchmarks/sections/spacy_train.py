"""`spacy train`: ours beside a component that does nothing, under the same config."""

from ..context import BASE, Bench, ratios, values
from ..report import Row

DEFAULT = "chunker"
IDLE = "idle"
BARE = "idle without scorer"
NAMES = {BASE: "chunker", DEFAULT: "chunker, default settings"}


def spacy_train(bench: Bench) -> list[Row]:
    """Wall time and memory, an evaluation an epoch and all checkpoints included."""
    kinds = (*NAMES, IDLE, BARE)
    tasks = {f"spacy train, {kind}": bench.spacy_train(kind) for kind in kinds}
    results = dict(zip(kinds, bench.take(tasks).values(), strict=True))
    seconds = {kind: values(runs, "seconds") for kind, runs in results.items()}
    walls = {kind: values(runs, "wall_seconds") for kind, runs in results.items()}
    peaks = {kind: values(runs, "peak_mb") for kind, runs in results.items()}
    rows = [
        Row("a component that does nothing, same scorer", seconds[IDLE], "s"),
        Row("a component that does nothing, no scorer", seconds[BARE], "s"),
        Row("peak memory, a component that does nothing", peaks[IDLE], "MB"),
    ]
    for kind, name in NAMES.items():
        times = ratios(seconds[kind], seconds[IDLE])
        more = [a - b for a, b in zip(peaks[kind], peaks[IDLE], strict=True)]
        rows += [
            Row(name, seconds[kind], "s"),
            Row(f"{name}: ratio, same scorer", times, "x"),
            Row(
                f"{name}: ratio of wall times, same scorer",
                ratios(walls[kind], walls[IDLE]),
                "x",
            ),
            Row(f"{name}: ratio, no scorer", ratios(seconds[kind], seconds[BARE]), "x"),
            Row(f"{name}: peak memory", peaks[kind], "MB"),
            Row(f"{name}: difference", more, "MB"),
        ]
    return rows
