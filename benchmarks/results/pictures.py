"""The pictures of the results."""

import re
from collections.abc import Sequence
from html import unescape
from typing import Any

from .chart import Axis, Series, draw
from .front import FRONT, Row, our_figures, peer_rows
from .run import Results

Rows = Sequence[dict[str, Any]]
FEWEST = 20  # answers of a bin, below which its share says nothing
_SHARE = tuple(i / 5 for i in range(6))


def make_pictures(results: Results) -> dict[str, str]:
    """The pictures that the results at hand can give, by file name."""
    pictures = {}
    for row in FRONT:
        if row.ours in results and len(peer_rows(results[row.ours])) > 1:
            pictures[f"accuracy-{row.ours}.svg"] = _against_peers(row, results)
    for entry, name, make in (
        ("calibration", "confidence-reliability", _reliability),
        ("search_errors", "learners-beams", _beams),
        ("parser_updates", "learners-parser-beams", _parser_beams),
        ("papers_hidden_states", "papers-hidden-states", _hidden_states),
    ):
        if entry in results:
            pictures[f"{name}.svg"] = make(results[entry]["figures"])
    return pictures


def picture_title(svg: str) -> str:
    """The title of a picture, for where it cannot be seen."""
    found = re.search(r'aria-label="([^"]*)"', svg)
    return unescape(found[1]) if found else ""


def _against_peers(row: Row, results: Results) -> str:
    """Ours and others, measured in one run, by seconds of training."""
    mean, _, seconds = our_figures(results[row.ours])
    points = {"spacy_latperc": (seconds, mean)}
    for name, score, seconds in peer_rows(results[row.ours]):
        points[name] = (seconds, score)
    what, _, score_name = row.title.rpartition(", ")
    return draw(
        f"{what}: {score_name} by seconds of training",
        Axis.over("seconds (CPU)", (x for x, _ in points.values()), log=True),
        Axis.over(score_name, (y for _, y in points.values())),
        [Series(name, [point]) for name, point in points.items()],
    )


def _reliability(figures: dict[str, Any]) -> str:
    def points(side: str) -> list[tuple[float, float]]:
        bins = figures[side]["reliability"]
        return [
            (b["confidence"], b["accuracy"]) for b in bins if b["answers"] >= FEWEST
        ]

    return draw(
        "How often answers are right at each confidence",
        Axis("confidence", _SHARE),
        Axis("share right", _SHARE),
        [
            Series("calibrated", points("after")),
            Series("before", points("before")),
            Series("perfect", [(0.0, 0.0), (1.0, 1.0)], guide=True),
        ],
    )


def _beams(rows: Rows) -> str:
    beams = [row for row in rows if row["width"]]
    exact = [row["test"] for row in rows if not row["width"]]
    return draw(
        "UD English EWT, order 2: accuracy by beam",
        Axis("width of the beam", (1, 2, 4), log=True),
        Axis.over("accuracy on test", (row["test"] for row in rows)),
        [
            *_by_method((x["method"], x["width"], x["test"]) for x in beams),
            *(Series("exact search", [(1, x), (4, x)], guide=True) for x in exact),
        ],
    )


def _parser_beams(runs: Rows) -> str:
    best = [(x["method"], x["width"], x["dev"]) for x in runs]
    # A method that learns nothing would leave no room for the others.
    highest = max(las for *_, las in best)
    shown = [point for point in best if point[2] > highest - 15]
    return draw(
        "UD English EWT: best LAS by beam",
        Axis("width of the beam", sorted({x["width"] for x in runs}), log=True),
        Axis.over("LAS on dev", (las for *_, las in shown)),
        _by_method(shown),
    )


def _hidden_states(points: Rows) -> str:
    models: dict[str, list[tuple[float, float]]] = {}
    for x in points:
        if x["model"] not in ("Lat-Perc avg", "Lat-Perc 4 states"):  # as Lat-Perc
            models.setdefault(x["model"], []).append((x["p"], x["mean"]))
    return draw(
        "Accuracy when the strength P of the hidden cycle varies",
        Axis.over("P", (x["p"] for x in points)),
        Axis.over("accuracy, %", (x["mean"] for x in points)),
        [
            Series(name, line, guide=name == "the true model")
            for name, line in models.items()
        ],
    )


def _by_method(points: Any) -> list[Series]:
    found: dict[str, list[tuple[float, float]]] = {}
    for method, x, y in points:
        found.setdefault(method, []).append((x, y))
    return [Series(method, series) for method, series in found.items()]
