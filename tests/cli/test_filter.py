"""`spacy latperc filter`: what is kept, and what is left behind when it fails."""

import gzip
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import spacy
from builders.grammaticality import FACTORY, GOOD, REAL, SHUFFLED, make_trained
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.grammaticality.filter.lines import LineReader
from spacy_latperc.grammaticality.filter.scores import (
    LineScorer,
    ScoringSettings,
    scored,
)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    make_trained(explain=True).to_disk(folder)
    return folder


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "in.txt"
    pairs = zip(REAL, SHUFFLED, strict=True)
    path.write_text("".join(f"{a}\n{b}\n" for a, b in pairs))
    return path


def run(*arguments, expect=0, **settings):
    command = ["filter", *map(str, arguments)]
    result = CliRunner().invoke(latperc_cli, command, **settings)
    assert result.exit_code == expect, result.output
    return result


def test_filter_keeps_good_lines_in_order(model, text, tmp_path):
    result = run(model, text, tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text().splitlines() == REAL
    assert f"Kept {len(REAL):,} of {2 * len(REAL):,} lines (50.0%)" in result.output


def test_filter_keeps_what_is_below(model, text, tmp_path):
    run(model, text, tmp_path / "out.txt", "--below")
    assert (tmp_path / "out.txt").read_text().splitlines() == SHUFFLED


@pytest.mark.parametrize("threshold, kept", [(0, 2 * len(REAL)), (1, 0)])
def test_filter_by_another_threshold(model, text, tmp_path, threshold, kept):
    run(model, text, tmp_path / "out.txt", "--threshold", threshold)
    assert len((tmp_path / "out.txt").read_text().splitlines()) == kept


def test_filter_writes_scores(model, text, tmp_path):
    run(model, text, tmp_path / "out.txt", "--scores", "--threshold", 0)
    nlp = spacy.load(model)
    rows = [x.split("\t") for x in (tmp_path / "out.txt").read_text().splitlines()]
    for (score, line), doc in zip(rows, nlp.pipe(x for _, x in rows), strict=True):
        assert float(score) == pytest.approx(doc.cats[GOOD], abs=1e-4)
        assert line == doc.text


def test_filter_reads_json(model, tmp_path):
    lines = [{"id": i, "body": x} for i, x in enumerate([REAL[0], SHUFFLED[0]])]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    run(model, path, tmp_path / "out.jsonl", "--field", "body", "--scores")
    (found,) = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert found.pop("grammaticality") > 0.5
    assert found == lines[0]


def test_filter_packs_and_unpacks(model, text, tmp_path):
    packed = tmp_path / "in.txt.gz"
    packed.write_bytes(gzip.compress(text.read_bytes()))
    run(model, packed, tmp_path / "out.txt.gz")
    found = gzip.decompress((tmp_path / "out.txt.gz").read_bytes())
    assert found.decode().splitlines() == REAL


def test_filter_in_a_pipe(model):
    result = run(model, "-", "-", "--quiet", input=f"{REAL[0]}\n{SHUFFLED[0]}\n")
    assert result.stdout == f"{REAL[0]}\n"


def test_filter_by_several_processes(model, text, tmp_path, monkeypatch):
    monkeypatch.setattr("spacy_latperc.grammaticality.filter.scores.AT_ONCE", 7)
    run(model, text, tmp_path / "out.txt", "-p", 2)
    assert (tmp_path / "out.txt").read_text().splitlines() == REAL


def test_filter_of_given_tokens(model, tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("a.b c,d\n")
    for option in ([], ["--tokenised"]):
        run(model, path, tmp_path / "out.txt", "--threshold", 0, *option)
        assert (tmp_path / "out.txt").read_text() == "a.b c,d\n"


def test_filter_of_nothing(model, tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("\n\n")
    result = run(model, path, tmp_path / "out.txt")
    assert "LP345" in result.output
    assert (tmp_path / "out.txt").read_bytes() == b""


def test_filter_names_bad_lines_and_leaves_nothing(model, tmp_path):
    path = tmp_path / "in.txt"
    path.write_bytes(f"{REAL[0]}\nbad \x07 line\n".encode())
    result = run(model, path, tmp_path / "out.txt", expect=1)
    assert "LP340" in result.output and "line 2" in result.output
    assert [x.name for x in tmp_path.iterdir()] == ["in.txt"]


def test_filter_skips_bad_lines(model, tmp_path):
    path = tmp_path / "in.txt"
    path.write_bytes(f"{REAL[0]}\nbad \x07 line\n\n{REAL[1]}\n".encode())
    result = run(model, path, tmp_path / "out.txt", "--skip-bad")
    assert (tmp_path / "out.txt").read_text().splitlines() == REAL[:2]
    assert "1 bad line(s); line 2" in result.output
    assert "1 empty line(s)" in result.output


def test_filter_keeps_the_old_file_when_it_fails(model, text, tmp_path, monkeypatch):
    class Full(OSError):
        pass

    def full(self, score=None):
        raise Full("no space left on device")

    target = tmp_path / "out.txt"
    target.write_text("old\n")
    monkeypatch.setattr("spacy_latperc.grammaticality.filter.lines.Line.written", full)
    result = run(model, text, target, expect=1)
    assert "LP342" in result.output and "no space left" in result.output
    assert target.read_text() == "old\n"
    assert sorted(x.name for x in tmp_path.iterdir()) == ["in.txt", "out.txt"]


def test_filter_refuses_a_folder_as_its_target_at_once(text, tmp_path):
    """It used to remove the folder, with all that was in it."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine").write_text("mine")
    result = run("no_model", text, tmp_path / "folder", expect=1)
    assert "LP561" in result.output
    assert (tmp_path / "folder" / "mine").read_text() == "mine"


def test_filter_names_packed_input(model, tmp_path):
    (tmp_path / "in.txt").write_bytes(b"PAR1\x15 and so on")
    result = run(model, tmp_path / "in.txt", tmp_path / "out.txt", expect=1)
    assert "packed with Parquet" in result.output
    assert [x.name for x in tmp_path.iterdir()] == ["in.txt"]


def test_filter_missing_file_is_named(model, tmp_path):
    result = run(model, tmp_path / "nowhere.txt", tmp_path / "out.txt", expect=1)
    assert "LP101" in result.output


def test_filter_needs_the_component(tmp_path, text):
    spacy.blank("xx").to_disk(tmp_path / "model")
    result = run(tmp_path / "model", text, tmp_path / "out.txt", expect=1)
    assert "LP341" in result.output and FACTORY in result.output


def test_filter_forgets_words(model, monkeypatch):
    monkeypatch.setattr("spacy_latperc.grammaticality.filter.scores.NEW_WORDS", 1000)
    scorer = LineScorer(ScoringSettings(str(model)))
    sizes = []
    for i in range(30):
        scores = scorer([*REAL[:2], *(f"word{i} never{i}.{j}" for j in range(100))])
        sizes.append(len(scorer.nlp.vocab.strings))
    assert max(sizes) < min(sizes) + 2000
    assert scores[:2] == LineScorer(ScoringSettings(str(model)))(REAL[:2])


def start(model, source, *options):
    """The command in a process group of its own, which writes to a pipe."""
    command = [sys.executable, "-m", "spacy", "latperc", "filter", str(model)]
    command += [str(source), "-", "--threshold", "0", "--quiet", *options]
    pipe = subprocess.PIPE
    settings = {"stdin": pipe, "stdout": pipe, "stderr": pipe}
    return subprocess.Popen(command, start_new_session=True, **settings)


def wait_for_end(process, seconds=20.0):
    """Until no process of the group is left."""
    process.wait(seconds)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    pytest.fail("processes of the pool are left")


@pytest.mark.parametrize("processes", ["1", "2"])
def test_filter_is_silent_when_its_reader_has_seen_enough(model, tmp_path, processes):
    (tmp_path / "in.txt").write_text(f"{REAL[0]}\n" * 20_000)
    with start(model, tmp_path / "in.txt", "-p", processes) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1
    wait_for_end(process)


def test_filter_leaves_no_process_behind(model, text):
    """It used to leave the pool to itself, which the interpreter's end met half done:
    a traceback after one run in three."""
    reader = LineReader(str(text))
    settings = ScoringSettings(str(model), processes=2)
    assert len(list(scored(reader, settings))) == 2 * len(REAL)
    assert multiprocessing.active_children() == []
    assert not [x for x in threading.enumerate() if "Executor" in type(x).__name__]


def running(model):
    """A command that has written something, and waits for more lines."""
    process = start(model, "-", "-p", "2")
    process.stdin.write(f"{REAL[0]}\n".encode() * 8000)
    process.stdin.flush()
    assert process.stdout.readline()
    return process


@pytest.mark.skipif(os.name == "nt", reason="signals of Windows are others")
def test_filter_ends_at_once_by_an_interrupt(model):
    with running(model) as process:
        os.killpg(process.pid, signal.SIGINT)
        before = time.monotonic()
        process.stdin.close()
        process.stdout.read()
        message = process.stderr.read().decode()
        assert time.monotonic() - before < 10
        wait_for_end(process)
    assert process.returncode in (1, 130)  # by the release of typer
    assert "Traceback" not in message


@pytest.mark.skipif(os.name == "nt", reason="signals of Windows are others")
def test_filter_that_is_killed_takes_its_processes_along(model):
    with running(model) as process:
        process.kill()
        wait_for_end(process)
