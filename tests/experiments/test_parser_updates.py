"""The experiment with parsers whose search errs, on the sample."""

import json

from experiments.parser_updates import main


def test_parser_updates_prints_a_row_for_each_update_and_width(capsys, tmp_path):
    figures = tmp_path / "figures.json"
    options = ["--passes", "2", "--limit", "60", "--json", str(figures)]
    main(["--widths", "1,2", *options])
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line]
    names = {(row[0], row[1]) for row in rows if len(row) == 8}
    methods = ("standard", "early", "latest", "max")
    assert {(width, method) for width in "12" for method in methods} <= names
    for run in json.loads(figures.read_text()):
        last = run["passes"][-1]
        assert 0 <= last["las"] <= last["uas"] <= 100
        if run["method"] != "standard":
            assert last["no_violation"] == 0
