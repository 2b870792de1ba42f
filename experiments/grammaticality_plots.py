"""Logs of `spacy latperc train-grammaticality --log` as a picture.

    python -m experiments.grammaticality_plots a.json b.json -o p.svg

Above: accuracy on held-out sentences after each pass. Below: margins of held-out real
and false sentences at the end, for each log.
"""

import argparse
import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacy_latperc.io.atomic import write_whole

WIDE, NARROW, HIGH = 560, 260, 220
LEFT, TOP, GAP = 56, 36, 64
COLOURS = ("#1f5fa8", "#c2452d", "#2f8f4e", "#8757b2", "#b08420", "#4d4d4d")
GREY, REAL, FALSE = "#8a8a8a", "#1f5fa8", "#c2452d"
BINS = 40


class Panel(NamedTuple):
    """A rectangle in pixels, and what its sides stand for."""

    x: float
    y: float
    width: float
    height: float
    low: tuple[float, float]
    high: tuple[float, float]

    def place(self, x: float, y: float) -> tuple[float, float]:
        across = (x - self.low[0]) / (self.high[0] - self.low[0])
        up = (y - self.low[1]) / (self.high[1] - self.low[1])
        return (
            round(self.x + self.width * across, 1),
            round(self.y + self.height * (1 - up), 1),
        )

    def frame(self, title: str, below: str) -> list[str]:
        middle = self.x + self.width / 2
        return [
            f'<rect x="{self.x}" y="{self.y}" width="{self.width}" '
            f'height="{self.height}" fill="none" stroke="{GREY}"/>',
            _text(middle, self.y - 10, title, "middle"),
            _text(middle, self.y + self.height + 32, below, "middle"),
        ]

    def line(self, points: Sequence[tuple[float, float]], colour: str) -> str:
        path = " ".join("{},{}".format(*self.place(*point)) for point in points)
        return (
            f'<polyline points="{path}" fill="none" stroke="{colour}" '
            'stroke-width="2"/>'
        )

    def tick_below(self, value: float, label: str) -> str:
        x, _ = self.place(value, self.low[1])
        return _text(x, self.y + self.height + 16, label, "middle")

    def tick_left(self, value: float, label: str) -> str:
        _, y = self.place(self.low[0], value)
        return _text(self.x - 6, y + 4, label, "end")


def draw(logs: dict[str, dict[str, Any]]) -> str:
    """The picture of logs by name."""
    columns = 2
    rows = -(-len(logs) // columns)
    width = LEFT + WIDE + GAP
    height = TOP + (HIGH + GAP) * (rows + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        *_accuracies(logs),
    ]
    for number, (name, log) in enumerate(logs.items()):
        row, column = divmod(number, columns)
        x = LEFT + column * (NARROW + 40)
        y = TOP + (HIGH + GAP) * (row + 1)
        parts += _margins(name, log["held_out"], x, y)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _accuracies(logs: dict[str, dict[str, Any]]) -> list[str]:
    """Lines over the passes."""
    lines = {
        name: [
            (float(entry["number"]), 100 * entry["accuracy"])
            for entry in log["passes"]
            if entry["accuracy"] is not None
        ]
        for name, log in logs.items()
    }
    passes = max((x for line in lines.values() for x, _ in line), default=1.0)
    found = [y for line in lines.values() for _, y in line] or [50.0]
    low = min(50.0, 5 * np.floor(min(found) / 5))
    high = max(low + 10, min(100.0, 5 * np.ceil(max(found) / 5)))
    panel = Panel(LEFT, TOP, WIDE, HIGH, (1.0, low), (max(passes, 2.0), high))
    parts = panel.frame("accuracy on held-out sentences, %", "pass")
    step = max(1, int(passes) // 10)
    parts += [panel.tick_below(x, str(x)) for x in range(1, int(passes) + 1, step)]
    parts += [
        panel.tick_left(y, f"{y:.0f}") for y in np.arange(low, high + 1, 5).tolist()
    ]
    for number, (name, line) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        y = TOP + HIGH - 12 - 16 * (len(lines) - 1 - number)
        if line:
            parts.append(panel.line(line, colour))
        last = f"{name}: {line[-1][1]:.2f}" if line else name
        parts += _key(LEFT + WIDE - 170, y, last, colour)
    return parts


def _margins(name: str, pairs: list[list], x: float, y: float) -> list[str]:
    """Shares of real and of false sentences by margin."""
    margins = np.array([pair[0] for pair in pairs], dtype=np.float64)
    real = np.array([pair[1] for pair in pairs], dtype=bool)
    far = float(np.quantile(np.abs(margins), 0.995)) if len(margins) else 1.0
    edges = np.linspace(-far or -1.0, far or 1.0, BINS + 1)
    shares = {
        "real": (_shares(margins[real], edges), REAL),
        "false": (_shares(margins[~real], edges), FALSE),
    }
    top = max(float(values.max(initial=0.0)) for values, _ in shares.values()) or 1.0
    panel = Panel(x, y, NARROW, HIGH, (edges[0], 0.0), (edges[-1], 1.1 * top))
    parts = panel.frame(f"{name}: share of sentences", "margin")
    middle = panel.place(0.0, 0.0)[0]
    parts.append(
        f'<line x1="{middle}" y1="{y}" x2="{middle}" y2="{y + HIGH}" '
        f'stroke="{GREY}" stroke-dasharray="4 4"/>'
    )
    for value in (edges[0], 0.0, edges[-1]):
        parts.append(panel.tick_below(float(value), f"{value:.2g}"))
    centres = (edges[1:] + edges[:-1]) / 2
    for number, (label, (values, colour)) in enumerate(shares.items()):
        points = list(zip(centres.tolist(), values.tolist(), strict=True))
        parts.append(panel.line(points, colour))
        parts += _key(x + 8, y + 18 + 16 * number, label, colour)
    return parts


def _shares(
    margins: NDArray[np.float64], edges: NDArray[np.float64]
) -> NDArray[np.float64]:
    counts, _ = np.histogram(np.clip(margins, edges[0], edges[-1]), edges)
    return counts / max(len(margins), 1)


def _key(x: float, y: float, label: str, colour: str) -> list[str]:
    return [
        f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{colour}"/>',
        _text(x + 16, y, label, "start"),
    ]


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Logs of training as a picture")
    parser.add_argument("logs", nargs="+", type=Path, help="JSON files")
    parser.add_argument("-o", "--output", type=Path, required=True, help="SVG file")
    options = parser.parse_args(arguments)
    logs = {path.stem: json.loads(path.read_text("utf8")) for path in options.logs}
    write_whole(options.output, draw(logs).encode())
    print(f"Wrote {options.output}")


if __name__ == "__main__":
    main()
