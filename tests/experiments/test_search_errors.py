"""The experiment with searches that err, on the sample."""

from experiments.search_errors import main


def test_search_errors_prints_a_row_for_each_update_and_width(capsys):
    main(["--widths", "1,0", "--seeds", "1", "--passes", "1", "--features", "word"])
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line]
    names = {(row[0], row[1]) for row in rows if len(row) == 8}
    methods = ("standard", "early", "latest", "max")
    assert {("1", method) for method in methods} | {("exact", "standard")} < names
