"""Calibration as a picture."""

from ..io.svg import BLUE, GREY, RED, SIZE, Panel, picture
from ..pipeline.calibrator import Report


def draw(report: Report) -> str:
    """Two panels: how often answers are right at each confidence, before and after, and
    precision and recall by threshold."""
    first, second = Panel(0), Panel(1)
    before = [(b.confidence, b.accuracy) for b in report.before.reliability]
    after = [(b.confidence, b.accuracy) for b in report.after.reliability]
    parts = [
        *first.axes("confidence", f"share right: {report.component}"),
        *(  # the share of all answers in each bin
            first.bar(b.low, b.high, b.answers / report.answers, "#e6ecf4")
            for b in report.after.reliability
        ),
        first.line([(0.0, 0.0), (1.0, 1.0)], GREY, dash=True),
        first.line(before, GREY),
        *first.dots(before, GREY),
        first.line(after, BLUE),
        *first.dots(after, BLUE),
        *first.legend(
            [
                (f"before, ECE {report.before.ece:.3f}", GREY),
                (f"after, ECE {report.after.ece:.3f}", BLUE),
            ],
        ),
        *second.axes("threshold", "precision and recall"),
        second.line([(c.threshold, c.precision) for c in report.thresholds], BLUE),
        second.line([(c.threshold, c.recall) for c in report.thresholds], RED),
        *second.legend([("precision", BLUE), ("recall", RED)], SIZE - 44),
    ]
    return picture(2, parts)
