"""spaCy's own tagger and recogniser, and NLTK's tagger, beside ours: words alone given.

spaCy's network learns in three passes, so that this takes minutes. What ten passes come
to is in the results (Accuracy).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from ..context import Bench, ratios, values
from ..corpora import BenchCorpus
from ..process import Result, Task
from ..report import Row
from .tagging import pipeline_task

OURS = "spacy_latperc"
SPACY_PASSES = 3
NLTK_PASSES = 5  # NLTK's default

# What is compared: its name, its unit, whether more is better.
FIGURES = {
    "rate": ("fresh text", "M tokens/s", True),
    "call": ("a sentence of ten tokens", "us", False),
    "pass": ("training, a pass", "s", False),
    "training_mb": ("peak memory of training", "MB", False),
    "tagging_mb": ("peak memory of tagging", "MB", False),
    "model_mb": ("model on disk", "MB", False),
}


@dataclass(frozen=True)
class Side:
    """One of those that are compared: how it is trained, and what it is asked."""

    passes: int
    training: Task
    tagging: Task
    single: Task
    score: Task


def peers(bench: Bench) -> list[Row]:
    """Speed, accuracy, memory and size, and the ratios to ours."""
    tags = bench.corpora.chunks
    taggers = {OURS: _ours(bench, tags, "tagger")}
    taggers["spaCy"] = _spacy_own(bench, tags, "tagger")
    if bench.nltk:
        taggers["NLTK"] = _nltk(bench, tags)
    rows = _rows(bench, "tags", "accuracy", taggers)
    entities = bench.corpora.entities
    if entities:
        recognisers = {
            OURS: _ours(bench, entities, "ner"),
            "spaCy": _spacy_own(bench, entities, "ner"),
        }
        rows += _rows(bench, "entities", "F1", recognisers)
    return rows


def _ours(bench: Bench, corpus: BenchCorpus, kind: str) -> Side:
    return Side(
        bench.epochs,
        bench.fit(kind),
        pipeline_task(bench, "tagging.pipe", kind, inputs=[]),
        pipeline_task(bench, "latency.single", kind, inputs=[]),
        _score(bench, corpus, kind),
    )


def _spacy_own(bench: Bench, corpus: BenchCorpus, component: str) -> Side:
    name = f"spaCy {component}"
    passes = min(SPACY_PASSES, bench.epochs)
    model, on = str(bench.model(name)), {"corpus": asdict(corpus)}
    training = {**on, "component": component, "limit": bench.limit}
    asked = {**on, "model": model, "inputs": [], "passes": 1}  # a pass takes seconds
    return Side(
        passes,
        Task("spacy_own.train", {**training, "passes": passes, "output": model}),
        Task("tagging.pipe", asked),
        Task("latency.single", asked),
        _score(bench, corpus, name),
    )


def _nltk(bench: Bench, corpus: BenchCorpus) -> Side:
    model, on = str(bench.model("NLTK tagger")), {"corpus": asdict(corpus)}
    training = {**on, "passes": NLTK_PASSES, "limit": bench.limit, "output": model}
    asked = Task("nltk_tagger.tag", {**on, "model": model})
    return Side(NLTK_PASSES, Task("nltk_tagger.train", training), asked, asked, asked)


def _score(bench: Bench, corpus: BenchCorpus, model: str) -> Task:
    settings = {"corpus": asdict(corpus), "model": str(bench.model(model))}
    return Task("spacy_own.score", settings)


def _rows(bench: Bench, what: str, score: str, sides: Mapping[str, Side]) -> list[Row]:
    def ask(part: str, runs: int | None = None) -> dict[str, list[Result]]:
        tasks = {f"{what}, {part}: {x}": getattr(sides[x], part) for x in sides}
        results = bench.take(tasks, runs=runs)
        return dict(zip(sides, results.values(), strict=True))

    trained, scored = ask("training", 1), ask("score", 1)
    tagged, called = ask("tagging"), ask("single")
    figures = {
        "rate": {x: [v / 1e6 for v in values(tagged[x], "rate")] for x in sides},
        "call": {x: values(called[x], "call") for x in sides},
        "pass": {
            x: [v / sides[x].passes for v in values(trained[x], "seconds")]
            for x in sides
        },
        "training_mb": {x: values(trained[x], "peak_mb") for x in sides},
        "tagging_mb": {x: values(tagged[x], "peak_mb") for x in sides},
        "model_mb": {x: values(scored[x], "model_mb") for x in sides},
    }
    rows = [
        Row(
            f"{what}: {score} after {side.passes} passes, {x}",
            values(scored[x], "score"),
            "%",
        )
        for x, side in sides.items()
    ]
    for key, (name, unit, more) in FIGURES.items():
        found = figures[key]
        rows += [Row(f"{what}: {name}, {x}", found[x], unit) for x in sides]
        for x in sides:
            if x != OURS:
                above, below = (OURS, x) if more else (x, OURS)
                ratio = ratios(found[above], found[below])
                rows.append(Row(f"{what}: {name}, {above} / {below}", ratio, "x"))
    return rows
