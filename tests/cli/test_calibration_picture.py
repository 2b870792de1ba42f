"""The picture of a calibration: well-formed, and every point where it belongs."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from spacy_latperc.calibration import Calibration, reliability, threshold_table
from spacy_latperc.cli.calibration_picture import draw
from spacy_latperc.io.svg import BOTTOM, GAP, LEFT, SIZE, TOP
from spacy_latperc.pipeline.calibrator import Quality, Report

WIDTH = LEFT + 2 * SIZE + GAP + 24
HEIGHT = TOP + SIZE + BOTTOM
NAMESPACE = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def report() -> Report:
    rng = np.random.default_rng(0)
    p = rng.random(500)
    right = rng.random(500) < p
    quality = Quality(0.123, 0.5, reliability(p, right))
    return Report(
        component='<ner> & "co"',
        calibration=Calibration(),
        answers=500,
        right=int(right.sum()),
        gold=600,
        before=quality,
        after=quality,
        thresholds=threshold_table(p, right, 600),
    )


def shapes(report: Report, kind: str) -> list[dict[str, str]]:
    return [x.attrib for x in ET.fromstring(draw(report)).iter(f"{NAMESPACE}{kind}")]


def points(line: dict[str, str]) -> list[tuple[float, ...]]:
    return [tuple(map(float, pair.split(","))) for pair in line["points"].split()]


def test_calibration_picture_names_the_component(report):
    texts = [x.text for x in ET.fromstring(draw(report)).iter(f"{NAMESPACE}text")]
    assert 'share right: <ner> & "co"' in texts
    assert "after, ECE 0.123" in texts


def test_calibration_picture_diagonal_runs_from_corner_to_corner(report):
    assert points(shapes(report, "polyline")[0]) == [
        (LEFT, TOP + SIZE),
        (LEFT + SIZE, TOP),
    ]


def test_calibration_picture_dots_are_the_bins(report):
    found = [(float(x["cx"]), float(x["cy"])) for x in shapes(report, "circle")]
    wanted = [
        (LEFT + SIZE * entry.confidence, TOP + SIZE * (1 - entry.accuracy))
        for entry in report.after.reliability
    ]
    assert len(found) == 2 * len(wanted)
    for one, other in zip(found, wanted + wanted, strict=True):
        assert one == pytest.approx(other, abs=0.06)


def test_calibration_picture_thresholds_are_in_the_second_panel(report):
    precision, recall = (points(line) for line in shapes(report, "polyline")[-2:])
    left = LEFT + SIZE + GAP
    assert precision[0][0] == recall[0][0] == left
    cut = report.thresholds[5]
    assert recall[5] == pytest.approx(
        (left + SIZE * cut.threshold, TOP + SIZE * (1 - cut.recall)), abs=0.06
    )


def test_calibration_picture_draws_nothing_outside(report):
    for line in shapes(report, "polyline"):
        for x, y in points(line):
            assert LEFT <= x <= WIDTH
            assert TOP <= y <= TOP + SIZE <= HEIGHT
    for box in shapes(report, "rect"):
        x, y = float(box.get("x", 0)), float(box.get("y", 0))
        assert x >= 0 and y >= 0
        assert x + float(box["width"]) <= WIDTH
        assert y + float(box["height"]) <= HEIGHT


def test_calibration_picture_legends_stand_out_from_the_curves(report):
    backgrounds = [x for x in shapes(report, "rect") if "fill-opacity" in x]
    assert [float(x["x"]) for x in backgrounds] == [LEFT + 5, LEFT + SIZE + GAP + 5]
