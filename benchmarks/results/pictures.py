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
    for entry, name, make in (("calibration", "confidence-reliability", _reliability),):
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
