"""`filter --ray`: what it writes is what `filter` writes, byte by byte."""

import gzip
import json
import os
import signal
import threading

import pytest
from builders.grammaticality import REAL, SHUFFLED, make_trained
from builders.object_store import object_store
from typer.testing import CliRunner

from benchmarks.ray_nodes import processes_of_nodes
from spacy_latperc.cli import latperc_cli
from spacy_latperc.distributed import pieces

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_nodes")]
POISON = "poison"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    make_trained(explain=True).to_disk(folder)
    return folder


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """A folder with files of all kinds, some of several pieces, and an empty one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = tmp_path_factory.mktemp("texts")
    lines = [line for pair in zip(REAL, SHUFFLED, strict=True) for line in pair] * 100
    (folder / "a.txt").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    (folder / "b.jsonl").write_text(
        "".join(f"{json.dumps({'id': i, 'text': x})}\n" for i, x in enumerate(lines))
    )
    (folder / "deep").mkdir()
    packed = "\n\n".join(lines[:100])
    (folder / "deep" / "c.txt.gz").write_bytes(gzip.compress(packed.encode()))
    (folder / "empty.txt").write_bytes(b"")
    table = pa.table({"id": range(len(lines)), "text": lines})
    pq.write_table(table, folder / "t.parquet")
    pq.write_table(table.slice(0, 0), folder / "u.parquet")
    return folder


def run(*arguments, expect=0):
    result = CliRunner().invoke(latperc_cli, ["filter", *map(str, arguments)])
    assert result.exit_code == expect, result.output
    return result


def content(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".parquet"
    }


def rows(folder):
    import pyarrow.parquet as pq

    return {
        path.name: pq.read_table(path).to_pydict() for path in folder.rglob("*.parquet")
    }


def test_filter_on_a_cluster_writes_the_same(model, texts, tmp_path):
    options = ["--scores", "--reasons"]
    run(model, texts, tmp_path / "plain", *options)
    result = run(model, texts, tmp_path / "ray", *options, "--ray", "-p", 2)
    assert (texts / "a.txt").stat().st_size > pieces.PIECE_BYTES
    assert content(tmp_path / "ray") == content(tmp_path / "plain")
    assert len(content(tmp_path / "ray")) == 5
    assert rows(tmp_path / "ray") == rows(tmp_path / "plain")
    assert "(before)" not in result.output

    # One file is lost, the others are not done again.
    (tmp_path / "ray" / "b.jsonl").unlink()
    result = run(model, texts, tmp_path / "ray", *options, "--ray", "-p", 1)
    assert result.output.count("(before)") == 5
    assert content(tmp_path / "ray") == content(tmp_path / "plain")


def test_filter_on_a_cluster_of_a_share_of_a_url(model, texts, tmp_path):
    source = (texts / "a.txt").as_uri()
    run(model, texts / "a.txt", tmp_path / "plain.txt", "--keep", 0.3)
    run(model, source, tmp_path / "ray.txt", "--keep", 0.3, "--ray", "-p", 1)
    assert content(tmp_path)["ray.txt"] == content(tmp_path)["plain.txt"]
    folder = f"{texts.as_uri()}/deep"
    run(model, folder, tmp_path / "out", "--below", "--documents", "--ray", "-p", 1)
    run(model, folder, tmp_path / "plain", "--below", "--documents")
    assert content(tmp_path / "out") == content(tmp_path / "plain")


def test_filter_on_a_cluster_reads_an_object_store(model, texts, tmp_path):
    objects = {
        f"bucket/in/{path.relative_to(texts).as_posix()}": path.read_bytes()
        for path in texts.rglob("*")
        if path.is_file()
    }
    run(model, texts, tmp_path / "plain", "--scores")
    with object_store(objects) as options:
        folder = f"s3://key:secret@bucket/in{options}"
        run(model, folder, tmp_path / "ray", "--scores", "--ray", "-p", 2)
    assert len(objects) == 6
    assert content(tmp_path / "ray") == content(tmp_path / "plain")
    assert rows(tmp_path / "ray") == rows(tmp_path / "plain")


def test_filter_on_a_cluster_of_bad_lines_and_files(model, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_bytes(REAL[0].encode() + b"\n\xff\n" + REAL[1].encode())
    (folder / "b.txt.gz").write_bytes(gzip.compress(REAL[0].encode() * 99)[:-20])
    found = {}
    for name, options in (("plain", []), ("ray", ["--ray", "-p", 1])):
        target = tmp_path / name
        result = run(model, folder, target, *options, expect=1)
        assert "LP340" in result.output and "line 2" in result.output
        assert "Traceback" not in result.output
        assert not target.exists() or not list(target.glob("*.txt"))
        run(model, folder, target, "--skip-bad", "--overwrite", *options)
        found[name] = content(target)
    assert found["ray"] == found["plain"]
    assert "LP110" in found["ray"]["filter.json"].decode()


def test_filter_on_a_cluster_refuses_what_it_cannot_read(model, tmp_path):
    assert "LP827" in run(model, "-", tmp_path / "x", "--ray", expect=1).output
    (tmp_path / "a.txt").write_text("x")
    result = run(model, tmp_path / "a.txt", "s3://bucket/x", "--ray", expect=1)
    assert "LP484" in result.output


def test_filter_on_a_cluster_that_cannot_load_the_model(
    model, texts, tmp_path, monkeypatch
):
    monkeypatch.setattr(
        "spacy_latperc.distributed.run.pipeline_to_bytes", lambda nlp: b"no pipeline"
    )
    before = processes_of_nodes()
    result = run(model, texts, tmp_path / "out", "--ray", "-p", 2, expect=1)
    assert before
    assert result.output.count("[LP824]") == 1 and "LP567" in result.output
    assert "Traceback" not in result.output
    assert len(result.output.splitlines()) <= 3, result.output


@pytest.mark.slow
def test_filter_on_a_cluster_that_loses_a_worker(model, texts, tmp_path):
    source = tmp_path / "in.txt"
    source.write_bytes((texts / "a.txt").read_bytes() * 5)
    run(model, source, tmp_path / "plain.txt")
    killed = []

    def kill() -> None:
        while not killed and not done.wait(0.02):
            for pid, command in processes_of_nodes().items():
                if "ray::MapWorker" in command and not killed:
                    done.wait(2)  # it is at work then
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)

    done = threading.Event()
    killer = threading.Thread(target=kill)
    killer.start()
    try:
        run(model, source, tmp_path / "ray.txt", "--ray", "-p", 1)
    finally:
        done.set()
        killer.join()
    assert killed
    assert (tmp_path / "ray.txt").read_bytes() == (tmp_path / "plain.txt").read_bytes()
