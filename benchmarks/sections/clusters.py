"""Word clusters of ten million words, where they are there."""

from ..context import Bench, values
from ..corpora import plain_text
from ..process import Task
from ..report import Row, at_most

TOKENS = 10_000_000
CLASSES, FEW_CLASSES = 512, 8
MOST_SECONDS, MOST_MB = 300, 2000


def clusters(bench: Bench) -> list[Row]:
    """Time and memory from the text to the file, on one core."""
    text, whole = plain_text(bench.corpora, bench.scratch)
    goals = whole and bench.goals
    small = bench.limit or not whole
    settings = {
        "text": str(text),
        "classes": FEW_CLASSES if small else CLASSES,
        "tokens": 2_000 if bench.limit else TOKENS,
    }
    results = bench.take(
        {
            sides: Task("clusters.cluster", {**settings, "sides": sides})
            for sides in ("both", "left")
        }
    )
    rows = []
    for sides, found in results.items():
        one = found[0]
        what = f"{one['words']:,} words in {settings['classes']} clusters"
        name = f"{one['tokens']:,} tokens, sides={sides}"
        rows += [
            Row(
                f"{name}: {what}",
                values(found, "seconds"),
                "s",
                at_most(MOST_SECONDS) if goals else None,
            ),
            Row(
                f"{name}: peak memory",
                values(found, "peak_mb"),
                "MB",
                at_most(MOST_MB) if goals else None,
            ),
            Row(f"{name}: passes", values(found, "passes")),
        ]
    return rows
