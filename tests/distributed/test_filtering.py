"""`filter --ray`: what it writes is what `filter` writes, byte by byte."""

import gzip
import json
import os
import signal
import threading

import pytest
from builders.grammaticality import REAL, SHUFFLED, make_trained
from builders.object_store import object_store
from builders.ray_nodes import processes_of_nodes
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.io.packed import open_to_pack

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_nodes")]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    make_trained(explain=True).to_disk(folder)
    return folder


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """A folder with files of all kinds, bad lines, odd names, and an empty one."""
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
    with open_to_pack(folder / "deep" / "%41.txt.zst") as file:
        file.write(packed.encode() + b"\n" + b"a " * (1 << 20) + b"\n\xff\nlast\n")
    (folder / "dt=2020%3A01").mkdir()
    (folder / "dt=2020%3A01" / "x#y.jsonl").write_text(
        '{"text": "\\ud800"}\n' + json.dumps({"text": lines[0]})
    )
    (folder / "empty.txt").write_bytes(b"")
    contents = [line.encode() for line in lines]
    contents[3] = b"\xff"
    column = pa.array(contents, pa.binary()).view(pa.string())
    table = pa.table({"id": range(len(lines)), "text": column})
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
        if path.is_file()
    }


def test_filter_on_a_cluster_writes_the_same(model, texts, tmp_path):
    options = ["--scores", "--reasons", "--skip-bad"]
    said = run(model, texts, tmp_path / "plain", *options).output
    result = run(model, texts, tmp_path / "ray", *options, "--ray", "-p", 2)
    assert content(tmp_path / "ray") == content(tmp_path / "plain")
    assert len(content(tmp_path / "ray")) == 9
    assert "Bad lines left out: 4" in said and "Bad lines left out: 4" in result.output
    assert "(before)" not in result.output

    # One file is lost, the others are not done again.
    (tmp_path / "ray" / "b.jsonl").unlink()
    result = run(model, texts, tmp_path / "ray", *options, "--ray", "-p", 1)
    assert result.output.count("(before)") == 7
    assert content(tmp_path / "ray") == content(tmp_path / "plain")


def test_filter_on_a_cluster_of_a_url(model, texts, tmp_path):
    source = (texts / "a.txt").as_uri()
    run(model, texts / "a.txt", tmp_path / "plain.txt.gz")
    run(model, source, tmp_path / "ray.txt.gz", "--ray", "-p", 1)
    assert content(tmp_path)["ray.txt.gz"] == content(tmp_path)["plain.txt.gz"]
    folder = f"{texts.as_uri()}/deep"
    options = ["--below", "--documents", "--skip-bad"]
    run(model, folder, tmp_path / "out", *options, "--ray", "-p", 1)
    run(model, folder, tmp_path / "plain", *options)
    assert content(tmp_path / "out") == content(tmp_path / "plain")


def test_filter_on_a_cluster_reads_an_object_store(model, texts, tmp_path):
    objects = {
        f"bucket/in/{path.relative_to(texts).as_posix()}": path.read_bytes()
        for path in texts.rglob("*")
        if path.is_file()
    }
    options = ["--scores", "--skip-bad"]
    run(model, texts, tmp_path / "plain", *options)
    with object_store(objects) as keys:
        folder = f"s3://key:secret@bucket/in{keys}"
        run(model, folder, tmp_path / "ray", *options, "--ray", "-p", 2)
        assert len(objects) == 8
        objects["bucket/in/../planted.txt"] = b"x\n"
        result = run(model, folder, tmp_path / "ray", *options, "--ray", expect=1)
    assert "LP584" in result.output
    written, expected = content(tmp_path / "ray"), content(tmp_path / "plain")
    assert written.pop("filter.json") != expected.pop("filter.json")  # other files
    assert written == expected


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
    assert "LP489" in run(model, "-", tmp_path / "x", "--ray", expect=1).output
    (tmp_path / "a.txt").write_text("x")
    result = run(model, tmp_path / "a.txt", "s3://bucket/x", "--ray", expect=1)
    assert "LP484" in result.output


def test_filter_on_a_cluster_that_cannot_load_the_model(
    model, texts, tmp_path, monkeypatch
):
    monkeypatch.setattr(
        "spacy_latperc.distributed.file_tasks.pipeline_to_bytes",
        lambda nlp: b"no pipeline",
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
    source.write_bytes((texts / "a.txt").read_bytes() * 30)
    run(model, source, tmp_path / "plain.txt")
    killed = []

    def kill() -> None:
        while not killed and not done.wait(0.02):
            for pid, command in processes_of_nodes().items():
                if "ray::_work" in command and not killed:
                    done.wait(1)  # it is at work then
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
