"""Dependency trees: learning with a beam of 8, and from ready Docs to trees."""

from typing import Any

from ..context import Bench, values
from ..process import Task
from ..report import Row

PASSES = 12


def parsing(bench: Bench) -> list[Row]:
    """Learning, memory, the model file, and the rates of prediction."""
    trees = bench.corpora.trees
    passes = min(PASSES, bench.epochs) if bench.limit else PASSES
    plain, tagged = (str(bench.model(name)) for name in ("parser", "tagged parser"))
    learning: dict[str, Any] = {"treebank": trees.train}
    learning |= {"passes": passes, "limit": bench.limit}
    alone = {**learning, "tagged": False, "output": plain}
    found = bench.take({"parser": Task("parsing.train", alone)})["parser"]
    few = {**learning, "passes": min(passes, 3), "tagged": True, "output": tagged}
    bench.take({"tagged parser": Task("parsing.train", few)}, runs=1)

    def rate(model: str, width: int, inputs: list[str]) -> Task:
        more: dict[str, Any] = {"width": width, "inputs": inputs}
        more |= {"model": model, "passes": bench.passes}
        return Task("parsing.pipe", {"treebank": trees.test, **more})

    rates = bench.take(
        {
            "nlp.pipe: greedy": rate(plain, 1, ["tag"]),
            "nlp.pipe: beam of 8": rate(plain, 8, ["tag"]),
            "nlp.pipe: all": rate(tagged, 8, []),
        }
    )
    greedy, beam, whole = (
        [x / 1e6 for x in values(results, "rate")] for results in rates.values()
    )
    name = f"{passes} passes, beam of 8"
    times, peaks, sizes = (
        values(found, key) for key in ("learn_seconds", "peak_mb", "model_mb")
    )
    return [
        Row(f"learning, {name}", times, "s"),
        Row(f"peak memory, {name}", peaks, "MB"),
        Row("model file", sizes, "MB"),
        Row("nlp.pipe: parser, greedy", greedy, "M tokens/s"),
        Row("nlp.pipe: parser, beam of 8", beam, "M tokens/s"),
        Row("nlp.pipe: two taggers and parser, beam of 8", whole, "M tokens/s"),
    ]
