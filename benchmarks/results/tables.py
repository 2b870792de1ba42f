"""Markdown tables: of figures, and of what commands print."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from ..report import row_cells

SCORES = {
    "tag_acc": "accuracy of tags",
    "morph_acc": "accuracy of features",
    "dep_uas": "UAS",
    "dep_las": "LAS",
    "chunks_f": "F",
    "ents_f": "F",
}
_DIVIDER = re.compile(r"-+( {3}-+)*$")
_TITLE = re.compile(r"=+ (.+?) =+$")
_NUMBER = re.compile(r"[-+<>]?[\d,.]+( ?%)?$")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; columns of numbers are aligned to the right."""
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    columns = list(zip(*cells, strict=True)) or [()] * len(header)
    numbers = [
        any(column) and all(not x or _NUMBER.match(x) for x in column)
        for column in columns
    ]
    marks = ["---:" if number else "---" for number in numbers]
    lines = [f"| {' | '.join(row)} |" for row in (header, marks, *cells)]
    return "\n".join(lines)


def result_tables(result: dict[str, Any]) -> str:
    """Format a result: tables, and the sentences between them."""
    figures = result["figures"]
    if isinstance(figures, dict) and "runs" in figures and "scores" in figures:
        return _scores(figures)
    if isinstance(figures, dict) and "figures" in figures:
        return _bench(figures)
    return printed_tables(result["output"])


def _scores(figures: dict[str, Any]) -> str:
    if "rows" in figures:
        return _peers(figures["rows"], SCORES[next(iter(figures["scores"]))])
    runs = figures["runs"]
    header = ["score", "mean", "sd", *(f"seed {run['seed']}" for run in runs)]
    rows = [
        [
            SCORES.get(name, name),
            f"{score['mean']:.2f}",
            f"{score['sd']:.2f}",
            *(f"{100 * run['scores'][name]:.2f}" for run in runs),
        ]
        for name, score in figures["scores"].items()
    ]
    seconds = [f"{run['seconds']:.1f}" for run in runs]
    rows.append(["CPU seconds", f"{figures['seconds']:.1f} (median)", "", *seconds])
    return table(header, rows)


def _peers(rows: Sequence[dict[str, Any]], score: str) -> str:
    ours = rows[0]["seconds"]
    header = ["", "passes", score, "sd", "CPU seconds", "times ours"]
    cells = [
        [
            row["name"],
            str(row["passes"] or ""),
            f"{row['score']:.2f}",
            f"{row['sd']:.2f}" if "sd" in row else "",
            f"{row['seconds']:.1f}",
            f"{row['seconds'] / ours:.1f}",
        ]
        for row in rows
    ]
    return table(header, cells)


def _bench(figures: dict[str, Any]) -> str:
    sections: dict[str, list[dict[str, Any]]] = {}
    for row in figures["figures"]:
        sections.setdefault(row["section"], []).append(row)
    parts = []
    for name, rows in sections.items():
        if len(sections) > 1:
            parts.append(f"### {name.replace('_', ' ').capitalize()}")
        parts.append(_crossed(rows) or _listed(rows))
    return "\n\n".join([*parts, *figures["notes"]])


def _listed(rows: Sequence[dict[str, Any]]) -> str:
    cells = (row_cells(row["what"], row["runs"], row["unit"]) for row in rows)
    return table(["", "median", "unit", "least to most"], cells)


def _crossed(rows: Sequence[dict[str, Any]]) -> str:
    """One line for each thing of which the same was measured; "" if there is none."""
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        what, _, measured = row["what"].rpartition(": ")
        cell = row_cells("", [row["median"]], "")[1]
        found.setdefault(what, {})[f"{measured}, {row['unit']}"] = cell
    columns = {tuple(cells) for cells in found.values()}
    if len(columns) > 1 or len(found) < 2:
        return ""
    lines = ([what, *cells.values()] for what, cells in found.items())
    return table(["", *columns.pop()], lines)


def printed_tables(output: str) -> str:
    """Format the output of a command: tables as Markdown, the rest as paragraphs."""
    parts: list[str] = []
    text: list[str] = []
    lines = iter(output.splitlines())
    for line in lines:
        if _DIVIDER.match(line) and text:
            widths = [len(x) for x in line.split("   ")]
            header = _cut(text.pop(), widths)
            parts += _paragraph(text)
            rows = []
            for row in lines:
                if not row.strip():
                    break
                rows.append(_cut(row, widths))
            parts.append(table(header, rows))
            text = []
        elif not line.strip() or (found := _TITLE.match(line)):
            parts += _paragraph(text)
            text = []
            if line.strip() and found:
                parts.append(f"### {found[1]}")
        else:
            text.append(line)
    return "\n\n".join([*parts, *_paragraph(text)])


def _paragraph(lines: Sequence[str]) -> list[str]:
    return [" ".join(line.strip() for line in lines)] if lines else []


def _cut(line: str, widths: Sequence[int]) -> list[str]:
    """The cells of a line. One that is wider than its column pushes the others on."""
    cells = []
    for width in widths:
        end = width
        while line[end : end + 3].strip():
            end += 1
        cells.append(line[:end].strip())
        line = line[end + 3 :]
    return cells
