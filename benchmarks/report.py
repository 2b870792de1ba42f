"""What the bench found, as a table and as JSON."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from statistics import median
from typing import Any

from wasabi import msg

from spacy_latperc.io.atomic import write_whole

HEADER = ("", "median", "unit", "least to most", "target", "")


@dataclass(frozen=True)
class Target:
    """What a figure is to reach."""

    value: float
    at_least: bool

    def __str__(self) -> str:
        return f"{'>=' if self.at_least else '<='} {self.value:g}"

    def met(self, value: float) -> bool:
        return value >= self.value if self.at_least else value <= self.value


def at_least(value: float) -> Target:
    return Target(value, True)


def at_most(value: float) -> Target:
    return Target(value, False)


@dataclass(frozen=True)
class Row:
    """A figure: one value per run."""

    what: str
    values: Sequence[float]
    unit: str = ""
    target: Target | None = None

    @property
    def median(self) -> float:
        return median(self.values)

    @property
    def met(self) -> bool | None:
        return None if self.target is None else self.target.met(self.median)


@dataclass(frozen=True)
class Section:
    """Figures that belong together."""

    name: str
    title: str
    rows: list[Row]

    @property
    def known(self) -> list[Row]:
        """Without the figures that this system does not give."""
        return [row for row in self.rows if not any(map(isnan, row.values))]


@dataclass(frozen=True)
class Report:
    """All sections, and what they were measured on."""

    machine: dict[str, Any]
    settings: dict[str, Any]
    sections: list[Section]
    notes: list[str]

    def show(self) -> None:
        """Print the table."""
        lines: list[tuple[str, ...]] = []
        for section in self.sections:
            lines += [("",) * len(HEADER)] if lines else []
            lines.append((section.title.upper(), *[""] * (len(HEADER) - 1)))
            lines += [_cells(row) for row in section.known]
        aligns = ("l", "r", "l", "r", "r", "l")
        msg.table(lines, header=HEADER, divider=True, aligns=aligns, max_col=70)
        for note in self.notes:
            msg.text(note)

    def write(self, path: Path) -> None:
        """Write JSON; a reader never sees half a file."""
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False)
        write_whole(path, f"{text}\n".encode())

    def to_dict(self) -> dict[str, Any]:
        return {
            "machine": self.machine,
            "settings": self.settings,
            "notes": self.notes,
            "figures": [
                {
                    "section": section.name,
                    "what": row.what,
                    "unit": row.unit,
                    "median": row.median,
                    "runs": list(row.values),
                    "target": str(row.target) if row.target else None,
                    "met": row.met,
                }
                for section in self.sections
                for row in section.known
            ],
        }


def _cells(row: Row) -> tuple[str, ...]:
    spread = ""
    if len(row.values) > 1:
        spread = f"{_number(min(row.values))} to {_number(max(row.values))}"
    verdict = {None: "", True: "met", False: "MISSED"}[row.met]
    target = str(row.target) if row.target else ""
    return "  " + row.what, _number(row.median), row.unit, spread, target, verdict


def _number(value: float) -> str:
    """Three digits or so, whatever the size."""
    if value == int(value) and abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:.0f}"
    if abs(value) >= 10:
        return f"{value:.2f}" if abs(value) < 100 else f"{value:.1f}"
    return f"{value:.3g}" if value else "0"
