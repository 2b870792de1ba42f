"""Scores against time or data, as an SVG picture."""

from collections.abc import Sequence
from html import escape
from math import log10
from typing import NamedTuple

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 360, 60, 50, 20, 150
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


class Point(NamedTuple):
    """A point: its series, its place, and the spread of the score."""

    name: str
    x: float
    y: float
    sd: float


def draw(points: Sequence[Point], x_title: str, y_title: str) -> str:
    """Return a picture of points, joined where they have one name. The horizontal axis
    is logarithmic, so that x must be above 0."""
    x_low, x_high = _range([log10(point.x) for point in points])
    y_low, y_high = _range([y for p in points for y in (p.y - p.sd, p.y + p.sd)])

    right, foot = WIDTH - RIGHT, HEIGHT - BOTTOM

    def place(x: float, y: float) -> tuple[float, float]:
        across = (log10(x) - x_low) / (x_high - x_low) * (right - LEFT)
        up = (y - y_low) / (y_high - y_low) * (foot - TOP)
        return round(LEFT + across, 1), round(foot - up, 1)

    parts = [
        f'<path d="M{LEFT} {TOP}V{foot}H{right}" fill="none" stroke="currentColor"/>',
        _text((LEFT + right) / 2, HEIGHT - 8, x_title, "middle"),
        _text(LEFT, TOP - 6, y_title),
    ]
    for x in sorted({p.x for p in points}):
        parts.append(_text(place(x, y_low)[0], foot + 16, f"{x:.3g}", "middle"))
    for y in (y_low + i * (y_high - y_low) / 4 for i in range(5)):
        parts.append(_text(LEFT - 6, place(1, y)[1] + 4, f"{y:.2f}", "end"))
    for i, name in enumerate(dict.fromkeys(point.name for point in points)):
        own = [point for point in points if point.name == name]
        places = [place(p.x, p.y) for p in own]
        line = "L".join(f"{x} {y}" for x, y in places)
        bars = "".join(
            f"M{x} {place(p.x, p.y - p.sd)[1]}V{place(p.x, p.y + p.sd)[1]}"
            for p, (x, _) in zip(own, places, strict=True)
        )
        dots = "".join(f'<circle cx="{x}" cy="{y}" r="4"/>' for x, y in places)
        (x, y), colour = places[-1], COLOURS[i % len(COLOURS)]
        parts.append(
            f'<g fill="{colour}">{dots}<path d="M{line}{bars}" fill="none" '
            f'stroke="{colour}"/>{_text(x + 8, y + 4, name)}</g>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="12" fill="currentColor">'
        f"{''.join(parts)}</svg>\n"
    )


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    room = (high - low) * 0.1 or 0.1
    return low - room, high + room
