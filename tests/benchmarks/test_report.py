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


def test_report_shows_medians_and_notes(report, capsys):
    report.show()
    shown = capsys.readouterr().out
    for text in ("Title", "fast", "1 to 3", "211,727", "note"):
        assert text in shown
    assert Row("x", [3, 1, 100]).median == 3


def test_report_writes_json_without_what_the_system_does_not_tell(report, tmp_path):
    report.write(tmp_path / "metrics" / "bench.json")
    (file,) = (tmp_path / "metrics").iterdir()
    written = json.loads(file.read_text(encoding="utf-8"))
    assert written["machine"] == {"cores": 1}
    assert [x["what"] for x in written["figures"]] == ["fast", "slow", "tokens"]
    first = {"section": "x", "what": "fast", "unit": "s", "median": 2.0}
    assert written["figures"][0] == {**first, "runs": [3.0, 1.0, 2.0]}
