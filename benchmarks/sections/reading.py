"""Reading a training corpus, beside learning from it."""

from dataclasses import asdict

from ..context import Bench, values
from ..process import Task
from ..report import Row, at_most

FIGURES = {
    "parsing": "a column file, parsed",
    "sample": "what initialisation reads of it",
    "shared": "its Docs, as fit makes them",
    "examples": "its examples, as spacy train makes them",
    "docbin": "a .spacy file with chunks",
}
GOALS = {"parsing": 1.0, "shared": 1.0, "docbin": 1.0}


def reading(bench: Bench) -> list[Row]:
    """Times a token, of words that the vocabulary knows."""
    settings = {"corpus": asdict(bench.corpora.chunks), "limit": bench.limit}
    found = bench.take({"reading": Task("reading.corpora", settings)})["reading"]
    rows = []
    for key, what in FIGURES.items():
        goal = bench.target(at_most(GOALS[key])) if key in GOALS else None
        rows.append(Row(what, values(found, key), "us/token", goal))
    return rows
