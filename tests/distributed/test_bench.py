"""The bench of `filter` on local nodes: that it works, not how fast."""

import json
import subprocess
import sys

import pytest
from builders.grammaticality import REAL, SHUFFLED, make_trained
from project_files import ROOT

pytestmark = [pytest.mark.ray, pytest.mark.slow]


def test_bench_compares_a_cluster_with_two_processes(one_cluster_at_a_time, tmp_path):
    make_trained().to_disk(tmp_path / "model")
    text = tmp_path / "text.txt"
    text.write_text("\n".join([*REAL, *SHUFFLED]) + "\n")
    figures = tmp_path / "figures.json"
    command = [sys.executable, "-m", "benchmarks.cluster_filter"]
    command += [str(tmp_path / "model"), str(text), "--sentences", "200"]
    command += ["--runs", "1", "--json", str(figures)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(figures.read_text())
    assert found["sentences"] == 200 and found["ratio"] > 0
    assert "Ratio of the medians" in done.stdout
