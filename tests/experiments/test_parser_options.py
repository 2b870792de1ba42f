"""The experiment with options of the parser, on the sample."""

import json

import pytest

from experiments.parser_options import RUNS, main


@pytest.mark.parametrize("name", ["greedy, oracle, exploring", "beam 4, merging"])
def test_parser_options_learns_and_keeps_what_is_done(name, capsys, tmp_path):
    assert name in RUNS
    figures = tmp_path / "figures.json"
    options = ["--passes", "2", "--limit", "60", "--json", str(figures)]
    options += ["--only", name, "--runs", str(tmp_path / "runs")]
    main(options)
    first = json.loads(figures.read_text())
    assert [len(run["passes"]) for run in first] == [2]
    main(options)
    assert json.loads(figures.read_text()) == first
    assert name in capsys.readouterr().out
