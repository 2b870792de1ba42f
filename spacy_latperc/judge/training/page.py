"""The report on a judge as one page of HTML, with pictures in it."""

from collections.abc import Mapping
from html import escape
from typing import Any

from ...io.svg import BLUE, GREEN, GREY, RED, SIZE, Panel, picture
from .tables import Table, tables

_STYLE = """
body { font-family: sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; margin: 0.5em 0 1.5em; }
th, td { padding: 0.2em 0.7em; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; }
p { color: #444; }
"""


def page(report: Mapping[str, Any]) -> str:
    """A whole page."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8"><title>What the judge is worth'
        f"</title><style>{_STYLE}</style></head><body>",
        "<h1>What the judge is worth</h1>",
        "<p>The judge is compared with n-gram models (logarithms of probabilities, per "
        "token and summed up) and with length alone.</p>",
        *(draw(report) if report["thresholds"] else ()),
        *(line for table in tables(report) for line in _table(table)),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def draw(report: Mapping[str, Any]) -> list[str]:
    """Two pictures: sentences by threshold, and tokens."""
    first, second = Panel(0), Panel(1)
    rows = report["thresholds"]
    parts = [
        *first.axes("share of good sentences flagged", "sentences with errors found"),
        first.line([(0.0, 0.0), (1.0, 1.0)], GREY, dash=True),
        first.line([(x["false alarms"], x["recall"]) for x in rows], BLUE),
        *second.axes("threshold", "good flagged, bad found, precision"),
        second.line([(x["threshold"], x["false alarms"]) for x in rows], RED),
        second.line([(x["threshold"], x["recall"]) for x in rows], BLUE),
        second.line([(x["threshold"], x["precision"]) for x in rows], GREEN),
        second.line(
            [(report["threshold"], 0.0), (report["threshold"], 1.0)], GREY, dash=True
        ),
        *second.legend(
            [("good flagged", RED), ("bad found", BLUE), ("precision", GREEN)],
            SIZE - 70,
            right=True,
        ),
    ]
    pictures = [picture(2, parts)]
    parts = []
    shown = [(name, x) for name, x in report["tokens"].items() if x][:3]
    for number, (name, x) in enumerate(shown):
        panel = Panel(number)
        points = [(row["r"], row["p"]) for row in x["table"] if row["r"] > 0]
        parts += [
            *panel.axes("recall of wrong words", f"precision: {name}"),
            panel.line([(0.0, x["wrong"]), (1.0, x["wrong"])], GREY, dash=True),
            panel.line(points, BLUE),
            *panel.dots([(x["best"]["r"], x["best"]["p"])], RED),
            *panel.legend([("best F0.5", RED)], SIZE - 30),
        ]
    if parts:
        pictures.append(picture(len(shown), parts))
    return pictures


def _table(table: Table) -> list[str]:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.header)
    return [
        f"<h2>{escape(table.title)}</h2>",
        f"<p>{escape(table.note)}</p>",
        f"<table><tr>{head}</tr>",
        *(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in table.rows
        ),
        "</table>",
    ]
