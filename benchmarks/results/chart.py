"""Line and scatter charts as SVG, readable on light and dark pages.

The colours are those of Okabe and Ito, made for people with colour-blindness.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import log10

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 176, 36, 52
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
STYLE = """<style>
text { font: 12px sans-serif; fill: #333 }
.axis { stroke: #888; fill: none } .grid { stroke: #8884; fill: none }
@media (prefers-color-scheme: dark) { text { fill: #ddd } }
</style>"""


@dataclass(frozen=True)
class Series:
    """Points that belong together.

    Attributes:
        name: For the legend.
        points: Pairs of x and y.
        labels: What stands beside each point; none when empty.
        line: Whether the points are joined.
    """

    name: str
    points: Sequence[tuple[float, float]]
    labels: Sequence[str] = ()
    line: bool = True


@dataclass(frozen=True)
class Axis:
    """What is along one side.

    Attributes:
        title: With its unit.
        ticks: Where values stand; the first and the last are the ends of the axis.
        log: Whether the axis is logarithmic.
    """

    title: str
    ticks: Sequence[float]
    log: bool = False

    def place(self, value: float) -> float:
        """From 0 at the first tick to 1 at the last."""
        low, high, at = self.ticks[0], self.ticks[-1], value
        if self.log:
            low, high, at = log10(low), log10(high), log10(value)
        return (at - low) / (high - low)


def draw(title: str, x: Axis, y: Axis, series: Sequence[Series]) -> str:
    """A chart with a legend to its right."""
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'role="img" aria-label="{escape(title)}">',
        STYLE,
        _text(LEFT, 20, title, "start"),
        _text((LEFT + right) / 2, HEIGHT - 12, x.title, "middle"),
        f'<text transform="translate(16 {(TOP + bottom) / 2}) rotate(-90)" '
        f'text-anchor="middle">{escape(y.title)}</text>',
    ]
    for tick in x.ticks:
        at = _x(x, tick)
        parts.append(f'<path class="grid" d="M{at} {TOP}V{bottom}"/>')
        parts.append(_text(at, bottom + 18, f"{tick:g}", "middle"))
    for tick in y.ticks:
        at = _y(y, tick)
        parts.append(f'<path class="grid" d="M{LEFT} {at}H{right}"/>')
        parts.append(_text(LEFT - 8, at + 4, f"{tick:g}", "end"))
    parts.append(f'<path class="axis" d="M{LEFT} {TOP}V{bottom}H{right}"/>')
    for number, one in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        places = [(_x(x, a), _y(y, b)) for a, b in one.points]
        if one.line:
            path = " ".join(f"{a},{b}" for a, b in places)
            parts.append(
                f'<polyline points="{path}" fill="none" stroke="{colour}" '
                'stroke-width="2"/>'
            )
        for a, b in places:
            parts.append(f'<circle cx="{a}" cy="{b}" r="4" fill="{colour}"/>')
        parts += _labels(places, one.labels)
        place = TOP + 14 + 20 * number
        parts.append(
            f'<circle cx="{right + 20}" cy="{place - 4}" r="5" fill="{colour}"/>'
        )
        parts.append(_text(right + 32, place, one.name, "start"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _labels(places: Sequence[tuple[float, float]], labels: Sequence[str]) -> list[str]:
    return [
        _text(a + 7, b + 4, label, "start")
        for (a, b), label in zip(places, labels, strict=False)
        if label
    ]


def _x(axis: Axis, value: float) -> float:
    return round(LEFT + axis.place(value) * (WIDTH - RIGHT - LEFT), 1)


def _y(axis: Axis, value: float) -> float:
    return round(HEIGHT - BOTTOM - axis.place(value) * (HEIGHT - BOTTOM - TOP), 1)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
