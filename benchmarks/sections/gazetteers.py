"""What sources of attributes cost: clusters, a million phrases, patterns."""

from dataclasses import asdict
from typing import NamedTuple

from ..context import Bench, ratios, values
from ..corpora import BenchCorpus
from ..process import Task
from ..report import Row, at_least, at_most
from ..tasks.gazetteers import SOURCES

PHRASES = 1_000_000
MOST_MB = 100
LEAST_SHARES = {"gazetteer": 0.8, "clusters": 0.9}


class Pipeline(NamedTuple):
    """A pipeline of one component with one source, or with none."""

    kind: str
    source: str
    corpus: BenchCorpus
    inputs: tuple[str, ...]

    @property
    def title(self) -> str:
        return f"{self.kind}, {self.source or 'no source'}"


def gazetteers(bench: Bench) -> list[Row]:
    """Memory of the table; speed of a pipeline with and without each source."""
    corpus = bench.corpora.entities or bench.corpora.chunks
    kind, inputs = ("ner", ()) if bench.corpora.entities else ("chunker", ("tag",))
    phrases = 1000 if bench.limit else PHRASES
    settings = {"corpus": asdict(corpus), "phrases": phrases}
    pipelines = [
        *(Pipeline(kind, source, corpus, inputs) for source in SOURCES),
        *(Pipeline("tagger", x, bench.corpora.chunks, ()) for x in ("", "clusters")),
    ]
    models = {x: bench.model(f"{x.kind} source {x.source}") for x in pipelines}
    bench.take(
        {
            f"model: {x.title}": Task(
                "gazetteers.train",
                {
                    "corpus": asdict(x.corpus),
                    "phrases": phrases,
                    "kind": x.kind,
                    "source": x.source,
                    "output": str(model),
                    "limit": bench.limit,
                },
            )
            for x, model in models.items()
        },
        runs=1,
    )
    tasks = {
        f"nlp.pipe, {x.title}": Task(
            "tagging.pipe",
            {
                "corpus": asdict(x.corpus),
                "model": str(model),
                "inputs": list(x.inputs),
                "passes": bench.passes,
            },
        )
        for x, model in models.items()
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
    rates = {x: values(results[f"nlp.pipe, {x.title}"], "rate") for x in pipelines}
    for x, rate in rates.items():
        millions = [value / 1e6 for value in rate]
        rows.append(Row(f"nlp.pipe: {x.title}", millions, "M tokens/s"))
    for x, rate in rates.items():
        if x.source:
            share = ratios(rate, rates[x._replace(source="")])
            least = LEAST_SHARES.get(x.source)
            goal = bench.target(at_least(least)) if least else None
            rows.append(Row(f"{x.title}: speed / without", share, "x", goal))
    return rows
