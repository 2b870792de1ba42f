"""Logs as a picture."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from experiments.grammaticality_plots import draw, main

SVG = "{http://www.w3.org/2000/svg}"


def log(accuracies, held_out=((0.5, True), (-0.5, False), (0.1, False))):
    passes = [{"number": i, "accuracy": a} for i, a in enumerate(accuracies, 1)]
    return {"passes": passes, "held_out": [list(pair) for pair in held_out]}


def lines(picture):
    return ElementTree.fromstring(picture).findall(f"{SVG}polyline")


def test_grammaticality_plots_have_a_line_for_each_log_and_class():
    picture = draw({"a & b": log([0.6, 0.7]), "c": log([0.5, 0.8])})
    assert len(lines(picture)) == 2 + 2 * 2
    assert "a &amp; b: 70.00" in picture


def test_grammaticality_plots_stay_in_the_picture():
    root = ElementTree.fromstring(draw({"a": log([0.3, 1.0], [(1e6, True)])}))
    width, height = float(root.get("width")), float(root.get("height"))
    for line in root.findall(f"{SVG}polyline"):
        for point in line.get("points").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= width and 0 <= y <= height


@pytest.mark.parametrize("odd", [log([]), log([None]), log([0.5], [])])
def test_grammaticality_plots_of_little(odd):
    assert ElementTree.fromstring(draw({"odd": odd})) is not None


def test_grammaticality_plots_command_writes_a_file(tmp_path, capsys):
    (tmp_path / "one.json").write_text(json.dumps(log([0.6, 0.7])))
    main([str(tmp_path / "one.json"), "-o", str(tmp_path / "out" / "p.svg")])
    assert "one: 70.00" in (tmp_path / "out" / "p.svg").read_text()
