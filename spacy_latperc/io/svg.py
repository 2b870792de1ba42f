"""SVG pictures without a drawing library: square panels with curves, side by side."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

SIZE = 300  # the size of a panel
LEFT, TOP, GAP, BOTTOM = 56, 40, 76, 48
LEGEND = 124  # its width
GREY, BLUE, RED, GREEN = "#8a8a8a", "#1f5fa8", "#c2452d", "#3d8b4f"
_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def picture(panels: int, parts: Iterable[str]) -> str:
    """The SVG document of some panels."""
    width = LEFT + panels * SIZE + (panels - 1) * GAP + 24
    height = TOP + SIZE + BOTTOM
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Panel:
    """A square plot with axes from 0 to 1.

    Attributes:
        number: The number of the panel, from the left.
    """

    number: int

    @property
    def left(self) -> int:
        """The left edge."""
        return LEFT + self.number * (SIZE + GAP)

    def place(self, x: float, y: float) -> tuple[float, float]:
        """The pixels of a point of the unit square."""
        return round(self.left + SIZE * x, 1), round(TOP + SIZE * (1 - y), 1)

    def axes(self, below: str, above: str) -> list[str]:
        """The frame, with ticks, the label of the lower axis and a title."""
        parts = [
            f'<rect x="{self.left}" y="{TOP}" width="{SIZE}" height="{SIZE}" '
            f'fill="none" stroke="{GREY}"/>',
            text(self.left + SIZE / 2, TOP - 14, above, "middle"),
            text(self.left + SIZE / 2, TOP + SIZE + 36, below, "middle"),
        ]
        for tick in _TICKS:
            x, y = self.place(tick, tick)
            parts.append(text(x, TOP + SIZE + 16, f"{tick:.1f}", "middle"))
            parts.append(text(self.left - 6, y + 4, f"{tick:.1f}", "end"))
        return parts

    def bar(self, low: float, high: float, top: float, colour: str) -> str:
        """A bar from the lower axis."""
        x, y = self.place(low, top)
        right, bottom = self.place(high, 0.0)
        return (
            f'<rect x="{x}" y="{y}" width="{round(right - x, 1)}" '
            f'height="{round(bottom - y, 1)}" fill="{colour}"/>'
        )

    def dots(self, points: Iterable[tuple[float, float]], colour: str) -> list[str]:
        """A circle for each point."""
        parts = []
        for point in points:
            x, y = self.place(*point)
            parts.append(f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>')
        return parts

    def line(
        self,
        points: Iterable[tuple[float, float]],
        colour: str,
        dash: bool = False,
    ) -> str:
        """A line through points."""
        pairs = (self.place(*point) for point in points)
        path = " ".join(f"{x},{y}" for x, y in pairs)
        style = ' stroke-dasharray="4 4"' if dash else ' stroke-width="2"'
        return f'<polyline points="{path}" fill="none" stroke="{colour}"{style}/>'

    def legend(
        self,
        entries: Sequence[tuple[str, str]],
        below_top: int = 0,
        *,
        right: bool = False,
    ) -> list[str]:
        """A legend of names and colours, on the left or on the right."""
        left = self.left + (SIZE - LEGEND - 10 if right else 0)
        parts = [  # translucent, so that curves stay visible
            f'<rect x="{left + 5}" y="{TOP + below_top + 4}" width="{LEGEND}" '
            f'height="{16 * len(entries) + 5}" fill="white" fill-opacity="0.85"/>'
        ]
        for i, (name, colour) in enumerate(entries):
            y = TOP + below_top + 18 + 16 * i
            parts.append(
                f'<rect x="{left + 10}" y="{y - 9}" width="10" height="10" '
                f'fill="{colour}"/>'
            )
            parts.append(text(left + 26, y, name, "start"))
        return parts


def text(x: float, y: float, content: str, anchor: str) -> str:
    """A line of text."""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(content)}</text>'
