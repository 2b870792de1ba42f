"""The figures of the bench, as a table and as JSON."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from statistics import median
from typing import Any

from wasabi import msg

from spacy_latperc.io.atomic import write_whole

HEADER = ("", "median", "unit", "least to most")


@dataclass(frozen=True)
class Row:
    """A figure: one value per run."""

    what: str
    values: Sequence[float]
    unit: str = ""

    @property
    def median(self) -> float:
        return median(self.values)


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
    """All sections, and the machine that they were measured on."""

    machine: dict[str, Any]
    settings: dict[str, Any]
    sections: list[Section]
    notes: list[str]

    def show(self) -> None:
        """Print a table for each section."""
        for section in self.sections:
            msg.divider(section.title)
            rows = [row_cells(x.what, x.values, x.unit) for x in section.known]
            aligns = ("l", "r", "l", "r")
            msg.table(rows, header=HEADER, divider=True, aligns=aligns, max_col=70)
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
                }
                for section in self.sections
                for row in section.known
            ],
        }


def row_cells(what: str, values: Sequence[float], unit: str) -> list[str]:
    """The cells of a figure: its name, median, unit and range."""
    spread = ""
    if len(values) > 1:
        spread = f"{_number(min(values))} to {_number(max(values))}"
    return [what, _number(median(values)), unit, spread]


def _number(value: float) -> str:
    """Three digits or so, whatever the size."""
    if value == int(value) and abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.2f}" if abs(value) >= 10 else f"{value:.3g}" if value else "0"
