"""The experiment with bounds of sentences, on the sample."""

import json

from experiments.parser_sentences import main


def test_parser_sentences_prints_a_row_for_each_kind_of_bounds(capsys, tmp_path):
    figures = tmp_path / "figures.json"
    options = ["--passes", "1", "--limit", "3", "--json", str(figures)]
    main([*options, "--scratch", str(tmp_path)])
    found = json.loads(figures.read_text())
    assert found["of the file"]["sents_f"] == 100
    assert set(found) == {"of the file", "by full stops", "by the parser"}
    printed = capsys.readouterr().out
    assert all(name in printed for name in found)
