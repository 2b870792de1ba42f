"""Short texts one by one, as a server gets them."""

from ..context import Bench, values
from ..report import Row, at_most
from .tagging import NAMES, pipeline_task

INPUTS: dict[str, list[str]] = {"tagger": [], "ner": [], "chunker": ["tag"]}
GOALS = {"tagger": 25, "ner": 40}
FIGURES = {
    "call": ("a Doc of ten tokens", "us"),
    "text": ("the same from its text", "us"),
    "cold": ("a Doc, soon after loading", "us"),
    "load": ("loading, the host's part included", "ms"),
    "first": ("the first Doc after it", "ms"),
}


def latency(bench: Bench) -> list[Row]:
    """Times of a call."""
    kinds = [x for x in INPUTS if x != "ner" or bench.corpora.entities]
    bench.make(*kinds)
    tasks = {
        f"single texts, {kind}": pipeline_task(
            bench, "latency.single", kind, inputs=INPUTS[kind]
        )
        for kind in kinds
    }
    results = bench.take(tasks)
    rows = []
    for kind, found in zip(kinds, results.values(), strict=True):
        for key, (what, unit) in FIGURES.items():
            goal = at_most(GOALS[kind]) if key == "call" and kind in GOALS else None
            name = f"{what}: {NAMES[kind]}"
            target = bench.target(goal) if goal else None
            rows.append(Row(name, values(found, key), unit, target))
    return rows
