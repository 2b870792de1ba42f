"""The bench as a command, on a few sentences: that it works, not how fast."""

import json
import subprocess
import sys

import pytest
from project_files import ROOT

from benchmarks import run
from benchmarks.run import NO_PEER, run_bench

ALL = list(run.SECTIONS)


def bench_command(folder, *options):
    output = folder / "bench.json"
    command = ["-m", "benchmarks", "--quick", "--data", "sample"]
    done = subprocess.run(
        [sys.executable, *command, "--output", str(output), *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, json.loads(output.read_text(encoding="utf-8"))


@pytest.fixture
def alone(monkeypatch):
    """No peer, and the tests stay on all cores."""
    monkeypatch.setattr(run, "find_spec", lambda name: None)
    monkeypatch.setattr(run, "pin_to_one_core", lambda: None)


def test_run_as_a_command_prints_and_writes(tmp_path):
    pytest.importorskip("pycrfsuite")
    printed, written = bench_command(tmp_path, "--only", "training")
    assert "CRFsuite's time / ours, complete" in printed
    assert written["settings"]["chunks_and_tags"] == "bundled sample"
    assert {figure["section"] for figure in written["figures"]} == {"training"}
    assert str(tmp_path) not in json.dumps(written)


@pytest.mark.slow
def test_run_as_a_command_has_all_sections(tmp_path):
    _, written = bench_command(tmp_path)
    assert list(dict.fromkeys(f["section"] for f in written["figures"])) == ALL


def test_run_without_the_peer_says_how_to_get_it(alone):
    kept = []
    how = {"progress": print, "keep": kept.append}
    report = run_bench(data="sample", quick=True, only=["training"], **how)
    assert kept == [report]
    assert report.notes[0] == NO_PEER
    assert not any("CRFsuite" in row.what for row in report.sections[0].rows)


def test_run_refuses_an_unknown_section(alone):
    with pytest.raises(ValueError, match="'speed'.*training, tagging"):
        run_bench(only=["speed"], progress=print)
