"""Tables and JSON."""

import json

import pytest

from benchmarks.report import Report, Row, Section, at_least, at_most

NAN = float("nan")


@pytest.fixture
def report():
    rows = [
        Row("fast", [3.0, 1.0, 2.0], "s", at_most(2)),
        Row("slow", [7.0], "s", at_most(2)),
        Row("unknown", [NAN], "MB"),
        Row("tokens", [211727], ""),
    ]
    return Report({"cores": 1}, {"runs": 3}, [Section("x", "Title", rows)], ["A note."])


def test_report_row_is_the_median_of_its_runs():
    assert Row("x", [3, 1, 100]).median == 3


@pytest.mark.parametrize(
    "target, value, met",
    [
        (at_least(5), 5, True),
        (at_least(5), 4.9, False),
        (at_most(1.3), 1.3, True),
        (at_most(1.3), 1.4, False),
        (None, 1, None),
    ],
)
def test_report_row_says_whether_it_met_its_target(target, value, met):
    assert Row("x", [value], target=target).met is met


def test_report_shows_targets_and_notes(report, capsys):
    report.show()
    shown = capsys.readouterr().out
    for text in ("TITLE", "fast", "1 to 3", "<= 2", "met", "MISSED", "211,727", "note"):
        assert text in shown


def test_report_leaves_out_what_the_system_does_not_tell(report):
    figures = report.to_dict()["figures"]
    assert [figure["what"] for figure in figures] == ["fast", "slow", "tokens"]


def test_report_writes_json_and_nothing_else(report, tmp_path):
    report.write(tmp_path / "metrics" / "bench.json")
    (file,) = (tmp_path / "metrics").iterdir()
    written = json.loads(file.read_text(encoding="utf-8"))
    assert written["machine"] == {"cores": 1}
    assert written["figures"][0] == {
        "section": "x",
        "what": "fast",
        "unit": "s",
        "median": 2.0,
        "runs": [3.0, 1.0, 2.0],
        "target": "<= 2",
        "met": True,
    }
