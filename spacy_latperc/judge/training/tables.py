"""The figures of a report as tables of text, for the terminal and for the page."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class Table(NamedTuple):
    """A table with a title.

    Args:
        title: What it shows.
        note: How to read it.
        header: Names of the columns.
        rows: Of text.
    """

    title: str
    note: str
    header: list[str]
    rows: list[list[str]]


def tables(report: Mapping[str, Any]) -> list[Table]:
    """All tables of a report that have some row."""
    judges = list(report["judges"])
    of_pairs = list(report["judges of pairs"])
    found = [
        Table(
            "Pairs: the better sentence is preferred",
            "Share of the pairs in per cent; 50 is chance. The judge compares versions "
            "by doc._.preference.",
            ["", "pairs", *of_pairs],
            _compared(report["pairs"], of_pairs, 100, ".1f"),
        ),
        Table(
            "Grades: ranked as people rank",
            "Spearman's correlation with the grades.",
            ["", "sentences", *judges],
            _compared(report["grades"], judges, 1, ".3f"),
        ),
        Table(
            "Sentences that are flagged",
            f"Per cent below the threshold of {report['threshold']:.3f}. Of clean text "
            "these are false alarms.",
            ["", "sentences", "flagged"],
            [
                [f"{name}{kind}", f"{x['n']:,}", _number(x["flagged"], 100, ".1f")]
                for key, kind in (("clean", ""), ("wrong", ", with errors"))
                for name, x in report[key].items()
            ],
        ),
        Table(
            "Sentences with errors, by length",
            "Per cent flagged of good sentences and of those with errors; area under "
            "the curve.",
            ["words", "sentences", "good flagged", "bad found", "AUC"],
            [
                [
                    f"{x['from']}-{x['to']}" if x["to"] else f"{x['from']}+",
                    f"{sum(x['n']):,}",
                    _number(x["flagged"], 100, ".1f"),
                    _number(x["found"], 100, ".1f"),
                    _number(x["auc"], 1, ".3f"),
                ]
                for x in report["lengths"]
            ],
        ),
        Table(
            "Wrong words",
            "F0.5 at the best threshold, with its precision and recall, and if all "
            "words were flagged; area under the curve.",
            ["", "words", "F0.5", "P", "R", "at", "all flagged", "AUC"],
            [
                [
                    name,
                    f"{x['n']:,}",
                    *(_number(x["best"][key], 1, ".3f") for key in ("f05", "p", "r")),
                    _number(x["best"]["threshold"], 1, ".2f"),
                    _number(x["all flagged"], 1, ".3f"),
                    _number(x["auc"], 1, ".3f"),
                ]
                for name, x in report["tokens"].items()
                if x
            ],
        ),
        Table(
            "Spans that are shown",
            "Per cent of the flagged sentences in which a span touches an error, and "
            "in which as many spans as long would at random places.",
            ["", "sentences", "touch", "random", "share of words"],
            [
                [
                    name,
                    f"{x['n']:,}",
                    _number(x["touch"], 100, ".1f"),
                    _number(x["random"], 100, ".1f"),
                    _number(x["share of tokens"], 100, ".1f"),
                ]
                for name, x in report["spans"].items()
                if x.get("n")
            ],
        ),
        Table(
            "What is no sentence",
            "Area under the curve against clean sentences, and per cent found at the "
            "threshold.",
            ["", "sentences", *judges, "found"],
            [
                [*row, _number(report["junk"][row[0]]["found"], 100, ".1f")]
                for row in _compared(report["junk"], judges, 1, ".3f")
            ],
        ),
    ]
    return [table for table in found if table.rows]


def _compared(
    sets: Mapping[str, Any], judges: Iterable[str], times: float, form: str
) -> list[list[str]]:
    names = list(judges)
    return [
        [name, f"{x['n']:,}", *(_number(x[judge], times, form) for judge in names)]
        for name, x in sets.items()
    ]


def _number(value: float | None, times: float, form: str) -> str:
    return "-" if value is None else format(value * times, form)
