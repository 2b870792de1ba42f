"""Calibration as a picture: an SVG of our own, which needs no library to draw."""

from collections.abc import Iterable
from html import escape

from ..calibration import Bin
from ..pipeline.calibrator import Report

SIZE = 300  # of a panel
LEFT, TOP, GAP, BOTTOM = 56, 40, 76, 48
WIDTH = LEFT + 2 * SIZE + GAP + 24
HEIGHT = TOP + SIZE + BOTTOM
LEGEND = 124  # its width
GREY, BLUE, RED = "#8a8a8a", "#1f5fa8", "#c2452d"


def draw(report: Report) -> str:
    """Two panels: how often answers are right at each confidence, before and after, and
    precision and recall by threshold."""
    first, second = LEFT, LEFT + SIZE + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        *_axes(first, "confidence", f"share right: {report.component}"),
        *_bars(first, report.after.reliability, report.answers),
        _line(first, [(0.0, 0.0), (1.0, 1.0)], GREY, dash=True),
        _curve(first, report.before.reliability, GREY),
        *_dots(first, report.before.reliability, GREY),
        _curve(first, report.after.reliability, BLUE),
        *_dots(first, report.after.reliability, BLUE),
        *_legend(
            first,
            [
                (f"before, ECE {report.before.ece:.3f}", GREY),
                (f"after, ECE {report.after.ece:.3f}", BLUE),
            ],
        ),
        *_axes(second, "threshold", "precision and recall"),
        _line(second, [(c.threshold, c.precision) for c in report.thresholds], BLUE),
        _line(second, [(c.threshold, c.recall) for c in report.thresholds], RED),
        *_legend(second, [("precision", BLUE), ("recall", RED)], SIZE - 44),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _place(panel: float, x: float, y: float) -> tuple[float, float]:
    """Pixels of a point of the unit square."""
    return round(panel + SIZE * x, 1), round(TOP + SIZE * (1 - y), 1)


def _axes(panel: int, below: str, above: str) -> list[str]:
    parts = [
        f'<rect x="{panel}" y="{TOP}" width="{SIZE}" height="{SIZE}" fill="none" '
        f'stroke="{GREY}"/>',
        _text(panel + SIZE / 2, TOP - 14, above, "middle"),
        _text(panel + SIZE / 2, TOP + SIZE + 36, below, "middle"),
    ]
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        x, y = _place(panel, tick, tick)
        parts.append(_text(x, TOP + SIZE + 16, f"{tick:.1f}", "middle"))
        parts.append(_text(panel - 6, y + 4, f"{tick:.1f}", "end"))
    return parts


def _bars(panel: int, bins: Iterable[Bin], answers: int) -> list[str]:
    """The share of all answers in each bin."""
    parts = []
    for entry in bins:
        x, top = _place(panel, entry.low, entry.answers / answers)
        right, bottom = _place(panel, entry.high, 0.0)
        parts.append(
            f'<rect x="{x}" y="{top}" width="{round(right - x, 1)}" '
            f'height="{round(bottom - top, 1)}" fill="#e6ecf4"/>'
        )
    return parts


def _curve(panel: int, bins: Iterable[Bin], colour: str) -> str:
    return _line(panel, [(b.confidence, b.accuracy) for b in bins], colour)


def _dots(panel: int, bins: Iterable[Bin], colour: str) -> list[str]:
    parts = []
    for entry in bins:
        x, y = _place(panel, entry.confidence, entry.accuracy)
        parts.append(f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>')
    return parts


def _line(
    panel: int, points: Iterable[tuple[float, float]], colour: str, dash: bool = False
) -> str:
    pairs = (_place(panel, *point) for point in points)
    path = " ".join(f"{x},{y}" for x, y in pairs)
    style = ' stroke-dasharray="4 4"' if dash else ' stroke-width="2"'
    return f'<polyline points="{path}" fill="none" stroke="{colour}"{style}/>'


def _legend(
    panel: int, entries: list[tuple[str, str]], below_top: int = 0
) -> list[str]:
    parts = [  # paler than what runs through it, which stays visible
        f'<rect x="{panel + 5}" y="{TOP + below_top + 4}" width="{LEGEND}" '
        f'height="{16 * len(entries) + 5}" fill="white" fill-opacity="0.85"/>'
    ]
    for i, (name, colour) in enumerate(entries):
        y = TOP + below_top + 18 + 16 * i
        parts.append(
            f'<rect x="{panel + 10}" y="{y - 9}" width="10" height="10" '
            f'fill="{colour}"/>'
        )
        parts.append(_text(panel + 26, y, name, "start"))
    return parts


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
