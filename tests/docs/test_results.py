"""The published results are what the committed figures give."""

import json

from benchmarks.results.chart import Axis, Series, draw
from benchmarks.results.grid import GRID
from benchmarks.results.pages import all_pages, front_table, load_results
from benchmarks.results.run import RESULTS


def test_pages_are_those_of_the_committed_figures() -> None:
    for path, text in all_pages(load_results()).items():
        assert path.read_text(encoding="utf-8") == text, (
            f"{path.name} is not what results/*.json give: "
            "python -m benchmarks.results --pages"
        )


def test_every_result_has_its_command_in_the_grid() -> None:
    names = {entry.name for entry in GRID}
    assert len(names) == len(GRID)
    for path in RESULTS.glob("*.json"):
        result = json.loads(path.read_text(encoding="utf-8"))
        assert path.stem in names
        assert result["commands"] and result["date"] and result["revision"]


def test_the_front_table_takes_what_is_there() -> None:
    assert "No results" in front_table({})
    figures = {"scores": {"ents_f": {"mean": 17.6, "sd": 0.6}}, "seconds": 1.2}
    peer = {"scores": {"f": 15.13}, "train_seconds": 3.4}
    table = front_table(
        {
            "wnut17": {"name": "wnut17", "figures": figures},
            "wnut17_crfsuite_ap": {"figures": peer},
        }
    )
    assert "**17.60** (sd 0.60) | 1 s | CRFsuite 15.13 in 3 s" in table


def test_a_chart_places_points_and_escapes_text() -> None:
    svg = draw(
        "a < b",
        Axis("x", (1, 10, 100), log=True),
        Axis("y", (0, 1)),
        [Series("one", [(1, 0), (10, 1), (100, 0)])],
    )
    assert "a &lt; b" in svg and svg.count("<circle") == 4
    left, middle, right = (
        float(pair.split(",")[0])
        for pair in svg.partition('points="')[2].partition('"')[0].split()
    )
    assert middle - left == right - middle
