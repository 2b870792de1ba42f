"""Tagging: the search alone, and from ready Docs to annotated Docs."""

from dataclasses import asdict
from typing import Any

from ..context import BASE, Bench, ratios, values
from ..process import Task
from ..report import Row

# Kinds, and the inputs on their Docs.
PIPELINES: list[tuple[str, list[str]]] = [
    (BASE, ["tag"]),
    ("chunker", ["tag"]),
    ("small tagger", []),
    ("tagger", []),
    ("ner", []),
]
NAMES = {
    BASE: "chunker, base templates",
    "chunker": "chunker, default settings",
    "small tagger": "tagger, six templates",
    "tagger": "tagger, default settings",
    "ner": "entity recogniser, default settings",
}


def tagging(bench: Bench) -> list[Row]:
    """Rates in million tokens a second."""
    pipelines = [x for x in PIPELINES if x[0] != "ner" or bench.corpora.entities]
    bench.make(*[kind for kind, _ in pipelines])
    tasks = {"search": pipeline_task(bench, "tagging.kernel", BASE)}
    if bench.peer:
        bench.make("crfsuite")
        tasks["CRFsuite tagging"] = pipeline_task(bench, "crfsuite.tag", "crfsuite")
    for kind, inputs in pipelines:
        tasks[f"nlp.pipe, {kind}"] = pipeline_task(
            bench, "tagging.pipe", kind, inputs=inputs
        )
    tasks["reading and writing Docs"] = pipeline_task(bench, "host.floor")
    results = bench.take(tasks)
    search = _millions(results["search"], "rate")
    again = _millions(results["search"], "repeated_rate")
    rows = [
        Row(
            "search, attributes given as ids",
            search,
            "M tokens/s",
        ),
        Row("the same text again", again, "M tokens/s"),
    ]
    if bench.peer:
        library = _millions(results["CRFsuite tagging"], "library_rate")
        whole = _millions(results["CRFsuite tagging"], "end_to_end_rate")
        pipe = _millions(results[f"nlp.pipe, {BASE}"], "rate")
        rows += [
            Row("CRFsuite, items given", library, "M tokens/s"),
            Row("CRFsuite, from lists of strings", whole, "M tokens/s"),
            Row(
                "search / CRFsuite, items given",
                ratios(search, library),
                "x",
            ),
            Row("nlp.pipe / CRFsuite, from strings", ratios(pipe, whole), "x"),
        ]
    for kind, _ in pipelines:
        rates = _millions(results[f"nlp.pipe, {kind}"], "rate")
        name = f"nlp.pipe: {NAMES[kind]}"
        rows.append(Row(name, rates, "M tokens/s"))
    floor = _millions(results["reading and writing Docs"], "rate")
    return [
        *rows,
        Row("the host's own to_array + from_array", floor, "M tokens/s"),
    ]


def pipeline_task(
    bench: Bench, function: str, model: str = "", **settings: Any
) -> Task:
    """A measurement of a pipeline of this kind on its test corpus."""
    entities = model == "ner" and bench.corpora.entities
    settings["corpus"] = asdict(entities or bench.corpora.chunks)
    if model:
        settings["model"] = str(bench.model(model))
    return Task(function, {**settings, "passes": bench.passes})


def _millions(results: list, key: str) -> list[float]:
    return [value / 1e6 for value in values(results, key)]
