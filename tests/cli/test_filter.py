"""`spacy latperc filter`: what is kept, and what is left behind when it fails."""

import errno
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
from builders.grammaticality import GOOD, REAL, SHUFFLED, make_trained
from builders.object_store import object_store
from typer.testing import CliRunner

from spacy_latperc.api import filter_texts, score_texts
from spacy_latperc.cli import latperc_cli
from spacy_latperc.io.packed import open_to_pack, open_unpacked
from spacy_latperc.judge.filter.filter_lines import Columns
from spacy_latperc.judge.filter.filter_scores import (
    LineScorer,
    ScoringSettings,
    Verdict,
)
from spacy_latperc.judge.filter.processes import Scorers
from spacy_latperc.text.reader import Line, LineReader


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


def test_filter_keeps_lines_in_order_by_their_scores(model, text, tmp_path):
    target = tmp_path / "out.txt"
    result = run(model, text, target)
    assert target.read_text().splitlines() == REAL
    assert f"Kept {len(REAL):,} of {2 * len(REAL):,} lines (50.0%)" in result.output
    run(model, text, target, "--below")
    assert target.read_text().splitlines() == SHUFFLED
    run(model, text, target, "--threshold", 1)
    assert target.read_text() == ""
    run(model, text, target, "--scores", "--threshold", 0)
    rows = [x.split("\t") for x in target.read_text().splitlines()]
    assert len(rows) == 2 * len(REAL)
    docs = spacy.load(model).pipe(x for _, x in rows)
    for (score, line), doc in zip(rows, docs, strict=True):
        assert float(score) == pytest.approx(doc.cats[GOOD], abs=1e-4)
        assert line == doc.text
    packed = tmp_path / "in.txt.gz"
    packed.write_bytes(gzip.compress(text.read_bytes()))
    run(model, packed, tmp_path / "out.txt.gz")
    found = gzip.decompress((tmp_path / "out.txt.gz").read_bytes())
    assert found.decode().splitlines() == REAL


def test_filter_reads_json_and_pipes(model, tmp_path):
    lines = [{"id": i, "body": x} for i, x in enumerate([REAL[0], SHUFFLED[0]])]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    run(model, path, tmp_path / "out.jsonl", "--field", "body", "--scores")
    (found,) = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert found.pop("grammaticality") > 0.5
    assert found == lines[0]
    result = run(model, "-", "-", "--quiet", input=f"{REAL[0]}\n{SHUFFLED[0]}\n")
    assert result.stdout == f"{REAL[0]}\n"


def test_filter_writes_scores_and_reasons_beside_lines():
    line, both = Line(1, "x\ty", b"x\ty"), Columns(True, True)
    verdict = Verdict(0.25, ("a\tb", "c"))
    assert Columns().line(line, verdict) == b"x\ty\n"
    assert Columns(scores=True).line(line, verdict) == b"0.2500\tx\ty\n"
    assert both.line(line, verdict) == b"0.2500\ta b | c\tx\ty\n"
    found = json.loads(both.line(Line(1, "x", b"", {"a": 1}), verdict))
    reasons = {"grammaticality_reasons": ["a\tb", "c"]}
    assert found == {"a": 1, "grammaticality": 0.25, **reasons}


@pytest.fixture
def poisoned(monkeypatch):
    """Every pipeline fails on a text with poison."""

    def fails(self, text):
        if "poison" in text:
            raise RuntimeError("no way")
        return make_doc(self, text)

    make_doc = spacy.language.Language.make_doc
    monkeypatch.setattr(spacy.language.Language, "make_doc", fails)


def test_filter_names_texts_that_the_pipeline_fails_on(model, tmp_path, poisoned):
    path = tmp_path / "in.txt"
    path.write_text(f"{REAL[0]}\n\npoison\n{REAL[1]}\n")
    result = run(model, path, tmp_path / "out.txt", expect=1)
    assert "line 3 cannot be scored (RuntimeError: no way)" in result.output
    assert not (tmp_path / "out.txt").exists()
    result = run(model, path, tmp_path / "out.txt", "--skip-bad")
    assert "Bad lines left out: 1" in result.output
    assert (tmp_path / "out.txt").read_text().splitlines() == REAL[:2]
    with pytest.raises(ValueError, match="text 2 cannot be scored"):
        list(filter_texts(model, [REAL[0], "poison"]))


@pytest.mark.skipif(os.name == "nt", reason="its shell has no such redirection")
@pytest.mark.parametrize("closed, stream", [("<&-", "input"), (">&-", "output")])
def test_filter_of_a_closed_stream(model, closed, stream):
    command = f"{sys.executable} -m spacy latperc filter {model} - - {closed}"
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, input="a\n"
    )
    assert done.returncode == 1
    assert f"[LP583] Standard {stream} is closed" in done.stderr
    assert "Traceback" not in done.stderr


def test_filter_of_given_tokens_and_of_nothing(model, tmp_path):
    path, target = tmp_path / "in.txt", tmp_path / "out.txt"
    path.write_text("a.b c,d\n")
    for option in ([], ["--tokenised"]):
        run(model, path, target, "--threshold", 0, *option)
        assert target.read_text() == "a.b c,d\n"
    path.write_text("\n\n")
    assert "LP405" in run(model, path, target).output
    assert target.read_bytes() == b""


def test_filter_names_bad_lines_or_skips_them(model, tmp_path):
    path, target = tmp_path / "in.txt", tmp_path / "out.txt"
    path.write_bytes(f"{REAL[0]}\nbad \x07 line\n\n{REAL[1]}\n".encode())
    result = run(model, path, target, expect=1)
    assert "LP340" in result.output and "line 2" in result.output
    assert [x.name for x in tmp_path.iterdir()] == ["in.txt"]
    result = run(model, path, target, "--skip-bad")
    assert target.read_text().splitlines() == REAL[:2]
    assert "Bad lines left out: 1. The first: " in result.output
    assert ": line 2 has" in result.output
    assert "Empty lines left out: 1" in result.output
    # The tail of a long line used to be a line of its own.
    path.write_bytes(b"a " * (1 << 20) + f"{REAL[0]}\nbad\x07\n{REAL[1]}\n".encode())
    assert "line 1 is longer than" in run(model, path, target, expect=1).output
    result = run(model, path, target, "--skip-bad", "--threshold", 0)
    assert "Bad lines left out: 2" in result.output
    assert target.read_text() == f"{REAL[1]}\n"


def test_filter_keeps_the_old_file_when_it_fails(model, text, tmp_path, monkeypatch):
    def full(self, line, verdict):
        raise OSError("no space left on device")

    target = tmp_path / "out.txt"
    target.write_text("old\n")
    monkeypatch.setattr(Columns, "line", full)
    result = run(model, text, target, expect=1)
    assert "LP560" in result.output and "no space left" in result.output
    assert target.read_text() == "old\n"
    assert sorted(x.name for x in tmp_path.iterdir()) == ["in.txt", "out.txt"]


def test_filter_names_what_it_cannot_read_or_write(model, text, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine").write_text("mine")
    (tmp_path / "zip.txt").write_bytes(b"PK\x03\x04 and so on")
    spacy.blank("xx").to_disk(tmp_path / "blank")
    target = tmp_path / "out.txt"
    for arguments, *messages in (
        # At once: it used to remove the folder, with all that was in it.
        (("no_model", text, tmp_path / "folder"), "LP561"),
        ((model, tmp_path / "zip.txt", target), "LP564", "format zip"),
        ((model, tmp_path / "nowhere.txt", target), "LP101"),
        ((tmp_path / "blank", text, target), "LP788", "judge train"),
    ):
        output = run(*arguments, expect=1).output
        assert all(message in output for message in messages), output
    assert (tmp_path / "folder" / "mine").read_text() == "mine"
    assert not target.exists()


def test_filter_forgets_words_and_sees_none_of_spaces(model, monkeypatch):
    monkeypatch.setattr("spacy_latperc.judge.filter.filter_scores.NEW_WORDS", 1000)
    scorer = LineScorer(ScoringSettings(str(model)))
    sizes = []
    for i in range(30):
        scores = scorer([*REAL[:2], *(f"word{i} never{i}.{j}" for j in range(100))])
        sizes.append(len(scorer.nlp.vocab.strings))
    assert max(sizes) < min(sizes) + 2000
    fresh = LineScorer(ScoringSettings(str(model)))
    assert scores[:2] == fresh(REAL[:2])
    assert fresh(["   ".join(REAL[0].split(" ")) + "  \n"]) == fresh([REAL[0]])


# Many files ---------------------------------------------------------------------------


def contents(folder):
    """Read the unpacked output files by name, without the folder's own metadata."""
    found = {}
    for path in sorted(folder.rglob("*.*")):
        if path.is_file() and path.name != "filter.json":
            with open_unpacked(path) as file:
                found[path.relative_to(folder).as_posix()] = file.read().decode()
    return found


@pytest.fixture
def shards(tmp_path, text):
    """A folder of texts, packed in every way."""
    folder = tmp_path / "shards"
    (folder / "more").mkdir(parents=True)
    for name in ("a.txt", "b.txt.gz", "c.txt.xz", "more/d.txt.bz2", "more/e.txt.zst"):
        with open_to_pack(folder / name) as file:
            file.write(text.read_bytes())
    return folder


def test_filter_of_a_folder(model, shards, tmp_path):
    result = run(model, shards, tmp_path / "out")
    names = ["a.txt", "b.txt.gz", "c.txt.xz", "more/d.txt.bz2", "more/e.txt.zst"]
    assert contents(tmp_path / "out") == dict.fromkeys(names, "\n".join([*REAL, ""]))
    assert f"more/d.txt.bz2: kept {len(REAL)} of {2 * len(REAL)}" in result.output
    assert f"Kept {5 * len(REAL):,} of {10 * len(REAL):,} lines" in result.output
    assert "LP980" in result.output  # half of it was left out


@pytest.mark.parametrize(
    "sources, names",
    [
        (["*.txt*"], ["a.txt", "b.txt.gz", "c.txt.xz"]),
        (["**/d*"], ["more/d.txt.bz2"]),
        (["a.txt", "more"], ["a.txt", "d.txt.bz2", "e.txt.zst"]),
    ],
)
def test_filter_of_patterns_and_several(model, shards, tmp_path, sources, names):
    run(model, *(shards / source for source in sources), tmp_path / "out")
    assert list(contents(tmp_path / "out")) == names


@pytest.fixture
def formats(tmp_path, text):
    """A folder of texts in every format."""
    folder, texts = tmp_path / "formats", text.read_text().splitlines()
    folder.mkdir()
    parquet(folder / "a.parquet", text=texts, n=list(range(len(texts))))
    objects = [json.dumps({"text": x, "n": n}) + "\n" for n, x in enumerate(texts)]
    for name in ("b.jsonl", "c.jsonl.zst"):
        with open_to_pack(folder / name) as file:
            file.write("".join(objects).encode())
    (folder / "d.txt").write_bytes(text.read_bytes())
    return folder


@pytest.mark.parametrize("kind", ["shards", "formats"])
def test_filter_goes_on_where_it_was_interrupted(
    model, kind, tmp_path, monkeypatch, request
):
    folder, target = request.getfixturevalue(kind), tmp_path / "out"
    options = ("--scores", "--reasons")
    run(model, folder, tmp_path / "whole", *options)
    score, left = LineScorer.__call__, [3]

    def fails(self, texts):
        left[0] -= 1
        if left[0] < 0:
            raise OSError("no more")
        return score(self, texts)

    monkeypatch.setattr(LineScorer, "__call__", fails)
    run(model, folder, target, *options, expect=1)
    names = [path for path in target.rglob("*.*") if path.name != "filter.json"]
    assert len(names) == 3
    monkeypatch.undo()
    min(names).unlink()  # somebody removed it
    result = run(model, folder, target, *options)
    assert result.output.count("(before)") == 2
    for path in (tmp_path / "whole").rglob("*.*"):
        again = target / path.relative_to(tmp_path / "whole")
        assert again.read_bytes() == path.read_bytes()
    if kind == "formats":
        kept = [row["text"] for row in rows(target / "a.parquet")]
        with open_unpacked(str(target / "c.jsonl.zst")) as file:
            assert [json.loads(line)["text"] for line in file] == kept == REAL


def test_filter_of_a_folder_sees_that_a_file_has_changed(model, tmp_path):
    folder, target = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(f"{REAL[0]}\n")
    run(model, folder, target)
    size = (folder / "a.txt").stat().st_size
    (folder / "a.txt").write_text(f"{REAL[0].swapcase()}\n")
    assert (folder / "a.txt").stat().st_size == size
    result = run(model, folder, target, "--threshold", "0.5")
    assert result.output.count("(before)") == 1
    expected = tmp_path / "alone.txt"
    run(model, folder / "a.txt", expected)
    assert (target / "a.txt").read_bytes() == expected.read_bytes()
    assert expected.read_text() != f"{REAL[0]}\n"


def test_filter_writes_files_of_a_store_under_odd_names(model, tmp_path):
    names, line = ["%41.txt", "dt=2020%3A01/x#y.txt", "q?.txt"], f"{REAL[0]}\n"
    objects = {f"bucket/in/{name}": line.encode() for name in names}
    with object_store(objects) as options:
        source = f"s3://key:secret@bucket/in{options}"
        for _ in range(2):
            result = run(model, source, tmp_path / "out")
        assert result.output.count("(before)") == 3
        # It used to write outside of the folder.
        objects["bucket/in/../../planted.txt"] = line.encode()
        result = run(model, source, tmp_path / "far" / "out", expect=1)
    assert contents(tmp_path / "out") == dict.fromkeys(names, line)
    assert "LP584" in result.output and "planted.txt" in result.output
    assert not list(tmp_path.rglob("planted.txt"))


def test_filter_skips_bad_lines_of_json_and_tables_and_bad_files(
    model, shards, tmp_path
):
    pa = pytest.importorskip("pyarrow")
    objects, good = tmp_path / "in.jsonl", json.dumps({"text": REAL[0]})
    objects.write_text(f'{good}\n{{"text": "\\ud800"}}\n{good}\n')
    table = tmp_path / "in.parquet"
    content = [REAL[0].encode(), b"\xff", REAL[0].encode()]
    parquet(table, text=pa.array(content, pa.binary()).view(pa.string()))
    for path, unit in ((objects, "line"), (table, "row")):
        target = tmp_path / f"out{path.suffix}"
        result = run(model, path, target, "--scores", expect=1)
        assert "LP340" in result.output and f"{unit} 2 " in result.output
        assert not target.exists()
        result = run(model, path, target, "--scores", "--skip-bad")
        assert "Bad lines left out: 1" in result.output
        assert "Kept 2 of 2" in result.output
    (shards / "b.txt.gz").write_bytes((shards / "b.txt.gz").read_bytes()[:-9])
    result = run(model, shards, tmp_path / "out", expect=1)
    assert "LP110" in result.output and "b.txt.gz" in result.output
    assert list(contents(tmp_path / "out")) == ["a.txt"]
    result = run(model, shards, tmp_path / "out", "--skip-bad")
    assert "b.txt.gz: left out. [LP110]" in result.output
    assert list(contents(tmp_path / "out"))[:2] == ["a.txt", "c.txt.xz"]


def test_filter_does_not_mix_settings(model, shards, tmp_path):
    run(model, shards / "a.txt", shards / "b.txt.gz", tmp_path / "out")
    more = (model, shards, tmp_path / "out", "--threshold", "0.1")
    result = run(*more, expect=1)
    assert "LP485" in result.output
    assert "threshold was 0.5 and is 0.1" in result.output
    run(*more, "--overwrite")
    record = json.loads((tmp_path / "out" / "filter.json").read_text())
    assert record["settings"]["threshold"] == 0.1
    (tmp_path / "out" / "filter.json").write_text('{"settings": {}}')
    assert "LP486" in run(*more, expect=1).output


def test_filter_refuses_places_for_many_files(model, shards, tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "in").mkdir()
    for name in ("filter.json", "a.txt"):
        (tmp_path / "in" / name).write_text(f"{REAL[0]}\n")
    for arguments, code in [
        ((shards, tmp_path / "file"), "LP484"),
        ((shards, "-"), "LP484"),
        ((shards, shards / "out"), "LP483"),
        ((shards / "a.txt", tmp_path / "shards", tmp_path / "out"), "LP482"),
        ((shards / "a.txt", "-", tmp_path / "out"), "LP489"),
        ((shards / "*.csv", tmp_path / "out"), "LP101"),
        ((tmp_path / "in", tmp_path / "out"), "LP482"),  # the place of its record
    ]:
        assert code in run(model, *arguments, expect=1).output, arguments


# Which are kept -----------------------------------------------------------------------


@pytest.mark.parametrize("share, kept", [(1.0, 1), (None, 2), (0.0, 3)])
def test_filter_of_documents(model, tmp_path, share, kept):
    good = REAL[:2]
    bad = [" ".join(x.replace(".", "").split()) + " ." for x in SHUFFLED[:2]]
    documents = [" ".join(x) for x in (good, [good[0], bad[0]], bad)]
    lines = [json.dumps({"text": x}) for x in documents]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    options = ["--documents", "--scores", "--reasons"]
    options += [] if share is None else ["--threshold", share]
    run(model, tmp_path / "in.jsonl", tmp_path / "out.jsonl", *options)
    found = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    expected = [
        (documents[0], 1.0, []),
        (documents[1], 0.5, bad[:1]),
        (documents[2], 0.0, bad),
    ]
    assert [tuple(line.values()) for line in found] == expected[:kept]


def test_filter_writes_what_speaks_against_a_line(model, text, tmp_path):
    options = ["--reasons", "--below"]
    run(model, text, tmp_path / "out.txt", *options)
    for line in (tmp_path / "out.txt").read_text().splitlines():
        reasons, sentence = line.split("\t")
        assert all(reason in sentence for reason in reasons.split(" | "))


# Parquet ------------------------------------------------------------------------------


def parquet(path, **columns):
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table(columns), path)


def rows(path):
    return pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist()


@pytest.mark.parametrize("options", [[], ["--scores"], ["--scores", "--reasons"]])
def test_filter_of_parquet(model, tmp_path, options):
    texts = [REAL[0], SHUFFLED[0], None, " ", REAL[1]]
    parquet(tmp_path / "in.parquet", body=texts, n=list(range(5)))
    result = run(
        *(model, tmp_path / "in.parquet", tmp_path / "out.parquet"),
        *("--field", "body", *options),
    )
    found = rows(tmp_path / "out.parquet")
    assert [(row["body"], row["n"]) for row in found] == [(REAL[0], 0), (REAL[1], 4)]
    assert [len(row) for row in found] == [2 + len(options)] * 2
    assert all(row.get("grammaticality", 1) > 0.5 for row in found)
    assert "Empty lines left out: 2" in result.output


def test_filter_by_several_processes_in_batches(model, text, tmp_path, monkeypatch):
    monkeypatch.setattr("spacy_latperc.judge.filter.processes.AT_ONCE", 7)
    monkeypatch.setattr("spacy_latperc.text.parquet.AT_ONCE", 7)
    run(model, text, tmp_path / "out.txt", "-p", 2)
    assert (tmp_path / "out.txt").read_text().splitlines() == REAL
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    parquet(source, text=text.read_text().splitlines())
    run(model, source, target, "-p", 2)
    assert [row["text"] for row in rows(target)] == REAL
    run(model, source, target, "--threshold", 1)
    assert rows(target) == []


def test_filter_of_parquet_on_a_full_disk(model, tmp_path, monkeypatch):
    from spacy_latperc.text.parquet import ParquetWriter

    parquet(tmp_path / "in.parquet", text=[*REAL, *SHUFFLED])

    def full(self):
        self._file.close()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(ParquetWriter, "close", full)
    arguments = (model, tmp_path / "in.parquet", tmp_path / "out.parquet")
    said = run(*arguments, expect=1).output
    assert "No space left on device" in said and "out.parquet" in said
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]
    monkeypatch.undo()
    run(*arguments)
    assert [row["text"] for row in rows(tmp_path / "out.parquet")] == REAL


def test_filter_names_what_is_wrong_with_parquet(model, tmp_path, monkeypatch):
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    parquet(source, title=["a"], n=[1])
    result = run(model, source, target, expect=1)
    assert "LP480" in result.output and "title" in result.output
    (tmp_path / "bad.parquet").write_bytes(b"PAR1\x15 and so on")
    assert "LP481" in run(model, tmp_path / "bad.parquet", target, expect=1).output
    parquet(source, text=["a", "b\x07"])
    result = run(model, source, target, expect=1)
    assert "row 2 has the control character" in result.output
    assert not target.exists()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = run(model, source, target, expect=1)
    assert "LP571" in result.output and "[formats]" in result.output


# Processes ----------------------------------------------------------------------------


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
    with Scorers(settings) as scorers:
        assert len(list(scorers.scored(reader))) == 2 * len(REAL)
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


# From Python --------------------------------------------------------------------------


def test_filter_texts_is_what_the_command_does(model):
    nlp = spacy.load(model)
    strings, before = len(nlp.vocab.strings), nlp.get_pipe(nlp.pipe_names[-1]).threshold
    texts = [x for pair in zip(REAL, SHUFFLED, strict=True) for x in pair]
    for source in (nlp, model, str(model)):
        assert list(filter_texts(source, iter(texts))) == REAL
    assert list(filter_texts(nlp, texts, below=True)) == SHUFFLED
    assert list(filter_texts(nlp, texts, threshold=0, processes=2)) == texts
    assert len(nlp.vocab.strings) == strings
    assert nlp.get_pipe(nlp.pipe_names[-1]).threshold == before
    verdicts = list(score_texts(nlp, texts, reasons=True))
    assert [bool(x.reasons) for x in verdicts] == [False, True] * len(REAL)
    document = f"{REAL[0]} {SHUFFLED[0]}"
    (verdict,) = score_texts(nlp, [document], documents=True)
    assert 0 < verdict.score < 1
