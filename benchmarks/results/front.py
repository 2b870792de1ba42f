"""The rows of the front table: ours, with knowledge from outside, and others."""

from dataclasses import dataclass
from typing import Any

from .entry import GRID, read_file

_SCORES = {entry.name: entry.score for entry in GRID}


@dataclass(frozen=True)
class Row:
    """A row of the front table.

    Attributes:
        title: The test set and the score.
        ours: The entry with our figure, from nothing but the training data, and with
            those of others.
        accurate: The entry of the accuracy setting, if there is one.
        richer: The entry with the most knowledge from outside, if there is one.
        known: That knowledge, in a few words.
        encoder: The entry with an encoder and nothing else, if there is one.
    """

    title: str
    ours: str
    accurate: str = ""
    richer: str = ""
    known: str = "clusters"
    encoder: str = ""


FRONT = tuple(Row(**fields) for fields in read_file()["front"])


def our_figures(result: dict[str, Any]) -> tuple[float, float, float]:
    """The mean of the score, its standard deviation, and seconds of training."""
    figures = result["figures"]
    score = figures["scores"][_SCORES[result["name"]]]
    return score["mean"], score["sd"], figures["seconds"]


def peer_rows(result: dict[str, Any]) -> list[tuple[str, float, float]]:
    """Name, score and seconds of the others: with as many passes as ours, or, of
    L-BFGS, whose iterations are no passes of an online learner, to convergence."""
    rows = result["figures"].get("rows", [])[1:]
    passes = result["figures"]["rows"][0]["passes"] if rows else None
    return [
        (row["name"].partition(",")[0], row["score"], row["seconds"])
        for row in rows
        if (
            row["passes"] is None if "lbfgs" in row["name"] else row["passes"] == passes
        )
    ]
