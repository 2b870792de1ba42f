"""Line and scatter charts as SVG, readable on light and dark pages.

The colours are those of Okabe and Ito, made for people with colour-blindness, and
lighter ones on dark pages; marks differ too. A picture has a background of its own,
since it follows the system where a page may not.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

WIDTH, HEIGHT = 520, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 20, 74, 54
LETTER = 7.2  # the width of one
LIGHT = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8A6D00", "#56B4E9")
DARK = ("#56B4E9", "#FF9E57", "#34C79B", "#E3A0C5", "#F0E442", "#A9C7E8")
MORE = ("#9A5BD0", "#888888")  # on both kinds of pages, where six are not enough


def _colours(colours: Sequence[str], first: int = 0) -> str:
    return " ".join(f".s{i} {{ color: {one} }}" for i, one in enumerate(colours, first))


STYLE = f"""<style>
text {{ font: 13px sans-serif; fill: #333 }} .back {{ fill: #fff }}
.axis {{ stroke: #888; fill: none }} .grid {{ stroke: #8884; fill: none }}
.line {{ stroke: currentColor; stroke-width: 2; fill: none }}
.spread {{ stroke: currentColor; stroke-width: 5; opacity: .3 }}
.full {{ fill: currentColor }}
.hollow {{ stroke: currentColor; stroke-width: 2; fill: none }}
.guide {{ stroke: #333; stroke-dasharray: 3 5; fill: none }}
{_colours(LIGHT)}
@media (prefers-color-scheme: dark) {{
text {{ fill: #ddd }} .back {{ fill: #1e2129 }} .guide {{ stroke: #eee }}
{_colours(DARK)} }}
</style>"""
MORE_STYLE = _colours(MORE, len(LIGHT))
MARKS = (1.0, 2.0, 5.0)


@dataclass(frozen=True)
class Series:
    """Points that belong together.

    Attributes:
        name: For the legend.
        points: Pairs of x and y.
        guide: True for what was not measured: a dashed line without marks.
        spread: The least and the most of each point; empty for none.
    """

    name: str
    points: Sequence[tuple[float, float]]
    guide: bool = False
    spread: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True)
class Axis:
    """One side of the chart.

    Attributes:
        title: With its unit.
        ticks: The values that are written; the first and the last are its ends.
        log: True for a logarithmic axis.
    """

    title: str
    ticks: Sequence[float]
    log: bool = False

    @classmethod
    def over(cls, title: str, values: Iterable[float], *, log: bool = False) -> "Axis":
        """An axis with round ticks on which all of these values lie."""
        found = list(values) or [1.0]
        ticks = _log_ticks if log else _ticks
        return cls(title, ticks(min(found), max(found)), log)

    def place(self, value: float) -> float:
        """From 0 at the first tick to 1 at the last."""
        low, high, at = self.ticks[0], self.ticks[-1], value
        if self.log:
            low, high, at = log10(low), log10(high), log10(value)
        return (at - low) / (high - low)


def _ticks(low: float, high: float) -> list[float]:
    """At most seven round numbers around a range."""
    span = (high - low) or abs(high) or 1.0
    power = 10.0 ** floor(log10(span / 5))
    step = next(
        power * mark
        for mark in (*MARKS, 10.0)
        if ceil(high / (power * mark)) - floor(low / (power * mark)) <= 6
    )
    first, last = floor(low / step), ceil(high / step)
    return [round(i * step, 10) for i in range(first, max(last, first + 1) + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten around a range."""
    powers = range(floor(log10(low)), ceil(log10(high)) + 2)
    marks = [round(mark * 10.0**power, 10) for power in powers for mark in MARKS]
    first = max(i for i, mark in enumerate(marks) if mark <= low)
    last = min(i for i, mark in enumerate(marks) if mark >= high)
    return marks[first : max(last, first + 1) + 1]


def draw(title: str, x: Axis, y: Axis, series: Sequence[Series]) -> str:
    """A chart with a legend below its title, in at most three lines."""
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    keys = _legend([one.name for one in series])
    top = max([TOP, *(line + 16 for _, line in keys)])
    colours = len(LIGHT) + len(MORE)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'role="img" aria-label="{escape(title)}">',
        STYLE,
        f'<rect class="back" width="{WIDTH}" height="{HEIGHT}" rx="4"/>',
        *([f"<style>{MORE_STYLE}</style>"] if len(series) > len(LIGHT) else []),
        _text(LEFT, 22, title, "start"),
        _text((LEFT + right) / 2, HEIGHT - 12, x.title, "middle"),
        f'<text transform="translate(16 {(top + bottom) / 2}) rotate(-90)" '
        f'text-anchor="middle">{escape(y.title)}</text>',
    ]
    for tick in x.ticks:
        at = _x(x, tick)
        parts.append(f'<path class="grid" d="M{at} {top}V{bottom}"/>')
        parts.append(_text(at, bottom + 18, _tick_label(tick), "middle"))
    for tick in y.ticks:
        at = _y(y, tick, top)
        parts.append(f'<path class="grid" d="M{LEFT} {at}H{right}"/>')
        parts.append(_text(LEFT - 8, at + 4, _tick_label(tick), "end"))
    parts.append(f'<path class="axis" d="M{LEFT} {top}V{bottom}H{right}"/>')
    for number, (one, (key, line)) in enumerate(zip(series, keys, strict=True)):
        places = [(_x(x, a), _y(y, b, top)) for a, b in one.points]
        path = " ".join(f"{a},{b}" for a, b in places)
        parts.append(f'<g class="s{number % colours}">')
        if one.guide:
            parts.append(f'<polyline class="guide" points="{path}"/>')
            parts.append(f'<path class="guide" d="M{key - 8} {line - 4}h16"/>')
        else:
            parts.append(f'<polyline class="line" points="{path}"/>')
            for (a, _), ends in zip(places, one.spread, strict=False):
                low, high = (_y(y, value, top) for value in ends)
                parts.append(f'<path class="spread" d="M{a} {low}V{high}"/>')
            parts += [_mark(number, a, b) for a, b in places]
            parts.append(_mark(number, key, line - 4))
        parts.append("</g>")
        parts.append(_text(key + 13, line, one.name, "start"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _legend(names: Sequence[str]) -> list[tuple[float, float]]:
    """The place of the mark of each name."""
    places, x, y = [], LEFT + 8.0, 40.0
    for name in names:
        width = 38 + LETTER * len(name)
        if x > LEFT + 8 and x + width > WIDTH:
            x, y = LEFT + 8.0, y + 16
        places.append((round(x, 1), y))
        x += width
    return places


def _mark(number: int, x: float, y: float) -> str:
    """A point: a circle, a square, a triangle or a diamond; from the fifth, hollow."""
    kind, paint = number % 4, "hollow" if number >= 4 else "full"
    if kind == 0:
        return f'<circle class="{paint}" cx="{x}" cy="{y}" r="4"/>'
    path = ("M-4-4h8v8h-8z", "M0-5L5 4H-5z", "M0-5.5L5.5 0L0 5.5L-5.5 0z")[kind - 1]
    return f'<path class="{paint}" transform="translate({x} {y})" d="{path}"/>'


def _x(axis: Axis, value: float) -> float:
    return round(LEFT + axis.place(value) * (WIDTH - RIGHT - LEFT), 1)


def _y(axis: Axis, value: float, top: float) -> float:
    return round(HEIGHT - BOTTOM - axis.place(value) * (HEIGHT - BOTTOM - top), 1)


def _tick_label(tick: float) -> str:
    """A number on an axis; long ones would run over the edge."""
    return f"{tick / 1000:g}k" if tick >= 10_000 else f"{tick:g}"


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
