"""The experiment with inexact search, on the sample."""

import json

from experiments.violations import main

METHODS = ("standard", "early", "latest", "max")


def table(capsys):
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line]
    return {(row[0], row[1]) for row in rows if len(row) in (8, 9)}


def test_violations_of_a_tagger_have_a_row_for_each_update_and_width(capsys):
    main(["--widths", "1,0", "--passes", "1", "--features", "word"])
    assert {("1", x) for x in METHODS} | {("exact", "standard")} < table(capsys)


def test_violations_of_a_parser_have_a_row_for_each_update_and_width(capsys, tmp_path):
    figures = tmp_path / "figures.json"
    cut = ["--task", "parser", "--passes", "2", "--limit", "60"]
    main([*cut, "--widths", "1,2", "--json", str(figures)])
    assert {(width, x) for width in "12" for x in METHODS} <= table(capsys)
    for run in json.loads(figures.read_text()):
        last = run["runs"][0][-1]
        assert 0 <= last["dev"] <= last["uas"] <= 100
        if run["method"] != "standard":
            assert last["no_violation"] == 0
