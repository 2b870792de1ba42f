"""What a gazetteer of a million phrases costs, and what patterns do."""

from dataclasses import asdict

from ..context import Bench, ratios, values
from ..process import Task
from ..report import Row, at_least, at_most
from ..tasks.gazetteers import SOURCES

PHRASES = 1_000_000
MOST_MB, LEAST_SHARE = 100, 0.8


def gazetteers(bench: Bench) -> list[Row]:
    """Memory of the table; speed of a pipeline with and without each source."""
    corpus = bench.corpora.entities or bench.corpora.chunks
    kind, inputs = ("ner", []) if bench.corpora.entities else ("chunker", ["tag"])
    phrases = 1000 if bench.limit else PHRASES
    settings = {"corpus": asdict(corpus), "phrases": phrases}
    models = {source: bench.model(f"source {source}") for source in SOURCES}
    bench.take(
        {
            f"model: {kind}, {source or 'no source'}": Task(
                "gazetteers.train",
                {
                    **settings,
                    "kind": kind,
                    "source": source,
                    "output": str(model),
                    "limit": bench.limit,
                },
            )
            for source, model in models.items()
        },
        runs=1,
    )
    tasks = {
        f"nlp.pipe, {source or 'no source'}": Task(
            "tagging.pipe",
            {
                "corpus": asdict(corpus),
                "model": str(model),
                "inputs": inputs,
                "passes": bench.passes,
            },
        )
        for source, model in models.items()
    }
    results = bench.take({**tasks, "table": Task("gazetteers.table", settings)})
    table = results["table"]
    rows = [
        Row(f"reading {phrases:,} phrases", values(table, "seconds"), "s"),
        Row("loading them", values(table, "loading_seconds"), "s"),
        Row(
            "memory of the table",
            values(table, "table_mb"),
            "MB",
            bench.target(at_most(MOST_MB)),
        ),
        Row("the same in a model file", values(table, "saved_mb"), "MB"),
    ]
    rates = {
        source: values(results[f"nlp.pipe, {source or 'no source'}"], "rate")
        for source in SOURCES
    }
    for source, rate in rates.items():
        millions = [value / 1e6 for value in rate]
        rows.append(
            Row(f"nlp.pipe: {kind}, {source or 'no source'}", millions, "M tokens/s")
        )
    target = bench.target(at_least(LEAST_SHARE))
    for source in filter(None, SOURCES):
        share = ratios(rates[source], rates[""])
        goal = target if source == "gazetteer" else None
        rows.append(Row(f"{source}: speed / without", share, "x", goal))
    return rows
