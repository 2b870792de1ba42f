"""The search alone, by phase; what the first sentence waits for; many labels."""

from collections.abc import Sequence
from dataclasses import asdict

from ..context import BASE, Bench, values
from ..process import Result, Task
from ..report import Row

MODELS = {
    BASE: (["tag"], "chunker, base templates"),
    "chunker": (["tag"], "chunker, default settings"),
    "tagger": ([], "tagger, default settings"),
    "ner": ([], "entity recogniser, default settings"),
}
# Labels, and tokens that are searched: as many as take about as long.
LABELS = {5: 50_000, 45: 50_000, 200: 20_000, 500: 10_000, 5000: 200}
TEXTS = {"fresh": "fresh text", "again": "the same text again"}


def decoding(bench: Bench) -> list[Row]:
    """Nanoseconds a token."""
    models = [x for x in MODELS if x != "ner" or bench.corpora.entities]
    bench.make(*models)
    rows = []
    phases = {
        f"search by phase, {kind}": _task(bench, "by_phase", kind, passes=bench.passes)
        for kind in models
    }
    starts = {
        f"cold start, {kind}": _task(bench, "cold_start", kind) for kind in models
    }
    results = bench.take({**phases, **starts})
    for kind in models:
        rows += _by_phase(MODELS[kind][1], results[f"search by phase, {kind}"])
    for kind in models:
        name, found = MODELS[kind][1], results[f"cold start, {kind}"]
        rows += [
            Row(f"{name}: loading the pipeline", values(found, "load_ms"), "ms"),
            Row(f"{name}: its first sentence", values(found, "first_ms"), "ms"),
            Row(f"{name}: its second", values(found, "second_ms"), "ms"),
        ]
    counts = {
        f"{n} labels": Task(
            "decoding.labels",
            {
                "labels": n,
                "tokens": 100 if bench.limit else tokens,
                "passes": bench.passes,
            },
        )
        for n, tokens in LABELS.items()
        if not (bench.limit and n > 500)
    }
    rows += [
        Row(f"{name}, all may follow all", values(found, "ns"), "ns/token")
        for name, found in bench.take(counts).items()
    ]
    return rows


def _task(bench: Bench, function: str, kind: str, **settings: int) -> Task:
    entities = kind == "ner" and bench.corpora.entities
    given = {
        "corpus": asdict(entities or bench.corpora.chunks),
        "model": str(bench.model(kind)),
        "inputs": MODELS[kind][0],
    }
    return Task(f"decoding.{function}", {**given, **settings})


def _by_phase(name: str, results: Sequence[Result]) -> list[Row]:
    rows = []
    labels = results[0]["labels"]
    for text, said in TEXTS.items():
        what = f"{name}, {labels} labels, {said}"
        rows.append(Row(what, values(results, f"{text}_ns"), "ns/token"))
        phases = values(results, f"{text}_phases_ns")
        rows += [
            Row(f"   {name}, {said}: {phase}", [x[phase] for x in phases], "ns/token")
            for phase in phases[0]
        ]
    return rows
