"""n-gram models and negatives, on half a million sentences where they are there."""

from ..context import Bench, values
from ..corpora import plain_text
from ..process import Task
from ..report import Row, at_least, at_most

MODELS = [("none", 3), ("kneser-ney", 3), ("modified-kneser-ney", 3), ("kneser-ney", 5)]
RATES = {("none", 3): 80_000, ("kneser-ney", 3): 35_000}
SETS = ["kn_m", "mle_m", "kn_raw"]
PAIRS = 50_000
SAMPLES = 100_000


def ngrams(bench: Bench) -> list[Row]:
    """Counting, sampling, scoring; and what tells negatives without grammar."""
    text, whole = plain_text(bench.corpora, bench.scratch)
    goals = whole and bench.goals
    settings = {"text": str(text), "limit": bench.limit}
    models = {
        f"{smoothing}, order {order}": Task(
            "ngrams.model",
            {
                **settings,
                "smoothing": smoothing,
                "order": order,
                "samples": 100 if bench.limit else SAMPLES,
            },
        )
        for smoothing, order in MODELS
    }
    sets = {
        name: Task(
            "ngrams.negatives",
            {**settings, "construction": name, "n": PAIRS if whole else 0},
        )
        for name in SETS
    }
    results = bench.take({**models, **sets})
    rows = []
    for (smoothing, order), name in zip(MODELS, models, strict=True):
        found = results[name]
        rate = RATES.get((smoothing, order))
        n = found[0]["sentences"]
        counted = f"{name}: reading and counting {n:,} sentences"
        rows += [
            Row(counted, values(found, "seconds"), "s", at_most(20) if goals else None),
            Row(
                f"{name}: peak memory",
                values(found, "peak_mb"),
                "MB",
                at_most(1500) if goals else None,
            ),
            Row(
                f"{name}: sampling",
                values(found, "sample_rate"),
                "sentences/s",
                at_least(rate) if goals and rate else None,
            ),
            Row(f"{name}: scoring", values(found, "score_rate"), "sentences/s"),
            Row(f"{name}: model file", values(found, "model_mb"), "MB"),
        ]
    for name in sets:
        found = results[name]
        matched = goals and name.endswith("_m")
        pairs = found[0]["pairs"]
        rows += [
            Row(f"{name}: making {pairs:,} pairs", values(found, "seconds"), "s"),
            Row(f"{name}: samples drawn for each", values(found, "drawn")),
            Row(
                f"{name}: told apart by length",
                values(found, "length_accuracy"),
                "%",
                at_most(50) if matched else None,
            ),
            Row(
                f"{name}: told apart by bag of words",
                values(found, "word_accuracy"),
                "%",
                at_most(54) if matched else None,
            ),
        ]
    return rows
