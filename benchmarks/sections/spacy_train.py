"""`spacy train`: ours beside a component that does nothing, under the same config."""

from ..context import BASE, Bench, ratios, values
from ..report import Row, at_most

IDLE = "idle"
BARE = "idle without scorer"


def spacy_train(bench: Bench) -> list[Row]:
    """Wall time and memory, an evaluation an epoch and all checkpoints included."""
    results = bench.take(
        {f"spacy train, {kind}": bench.spacy_train(kind) for kind in (BASE, IDLE, BARE)}
    )
    ours, idle, bare = (values(runs, "seconds") for runs in results.values())
    walls = [values(runs, "wall_seconds") for runs in results.values()]
    our_peak, idle_peak, _ = (values(runs, "peak_mb") for runs in results.values())
    more = [a - b for a, b in zip(our_peak, idle_peak, strict=True)]
    goal = bench.target(at_most(1.3))
    return [
        Row("chunker", ours, "s"),
        Row("a component that does nothing, same scorer", idle, "s"),
        Row("a component that does nothing, no scorer", bare, "s"),
        Row("ratio, same scorer", ratios(ours, idle), "x", goal),
        Row("ratio of wall times, same scorer", ratios(*walls[:2]), "x", goal),
        Row("ratio, no scorer", ratios(ours, bare), "x"),
        Row("peak memory, chunker", our_peak, "MB"),
        Row("peak memory, a component that does nothing", idle_peak, "MB"),
        Row("difference", more, "MB", bench.target(at_most(80))),
    ]
