"""The cost of order 2, in miniature."""

import gzip
import re
import sys

import pytest
from project_files import ROOT

from experiments import second_order


@pytest.mark.parametrize("options", [[], ["--order", "1", "--latent", "1", "--types"]])
def test_second_order_shows_a_line_a_pass(tmp_path, monkeypatch, capsys, options):
    sample = (ROOT / "assets" / "sample" / "train.txt").read_bytes()
    (tmp_path / "conll2000").mkdir()
    (tmp_path / "conll2000" / "train.txt.gz").write_bytes(gzip.compress(sample))
    monkeypatch.setenv("LATPERC_DATA", str(tmp_path))
    limits = ["--limit", "30", "--passes", "2"]
    monkeypatch.setattr(sys, "argv", ["second_order", *limits, *options])
    second_order.main()
    passes = re.findall(
        r"^ +(\d) +[\d.]+ +[\d.]+ +[\d,]+", capsys.readouterr().out, re.M
    )
    assert passes == ["1", "2"]
