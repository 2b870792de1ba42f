"""Tables and JSON."""

import json

import pytest

from benchmarks.report import Report, Row, Section

NAN = float("nan")


@pytest.fixture
def report():
    rows = [
        Row("fast", [3.0, 1.0, 2.0], "s"),
        Row("slow", [7.0], "s"),
        Row("unknown", [NAN], "MB"),
        Row("tokens", [211727], ""),
    ]
    return Report({"cores": 1}, {"runs": 3}, [Section("x", "Title", rows)], ["A note."])


def test_report_row_is_the_median_of_its_runs():
    assert Row("x", [3, 1, 100]).median == 3


def test_report_shows_figures_and_notes(report, capsys):
    report.show()
    shown = capsys.readouterr().out
    for text in ("Title", "fast", "1 to 3", "211,727", "note"):
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
    }
