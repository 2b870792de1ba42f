"""The progress of a filter: shares of bytes, the time left, and where it is shown."""

import gzip
import io

import pytest
from builders.grammaticality import REAL

from spacy_latperc.judge.filter import filter_progress as progress
from spacy_latperc.judge.filter.filter_progress import Progress
from spacy_latperc.text.input_files import TextFile
from spacy_latperc.text.reader import LineReader, Tally


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def shown_of(paths, stream=None, **settings):
    clock = Clock()
    found = Progress(paths, stream=stream or io.StringIO(), clock=clock, **settings)
    return found, clock


@pytest.mark.parametrize("packed", [False, True])
def test_progress_is_the_share_of_the_bytes_that_are_read(tmp_path, packed):
    path = tmp_path / "in.txt"
    content = "".join(f"{i * 7919 % 10007} {REAL[i % 9]}\n" for i in range(40_000))
    path.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
    shown, clock = shown_of([str(path)])
    reader = LineReader(str(path))
    shown.open(reader)
    found = []
    for line in reader:
        shown.add(1)
        if line.number % 10_000 == 0:
            clock.now = line.number / 1000
            found.append(shown.message())
    assert "40,000 lines, 1,000 a second, 0:00:00 left" in found[-1]
    for number, message in enumerate(found, 1):
        share = int(message.partition("%")[0])
        assert share == pytest.approx(25 * number, abs=10)
        left = int(message.split(" left")[0].split(":")[-1])
        assert left == pytest.approx(40 - 10 * number, abs=8)


def test_progress_counts_files_that_are_done(tmp_path):
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_bytes(b"x" * 1000)
    shown, clock = shown_of([str(path) for path in paths])
    clock.now = 10.0
    shown.close(TextFile(str(paths[0]), "a"), Tally(), before=True)
    assert shown.message() == "0% of 0.0 MB, 0 lines, 0 a second"
    shown.close(TextFile(str(paths[1]), "b"), Tally())
    assert shown.message() == "50% of 0.0 MB, 0 lines, 0 a second, 0:00:10 left"


def test_progress_without_sizes_counts_files_or_lines():
    shown, clock = shown_of(["s3://bucket/a", "s3://bucket/b"])
    clock.now = 7200.0
    shown.close(TextFile("s3://bucket/a", "a"), Tally())
    assert shown.message() == "50% of 2 files, 0 lines, 0 a second, 2:00:00 left"
    shown, clock = shown_of(["-"])
    clock.now = 1.0
    shown.add(5)
    assert shown.message() == "5 lines, 5 a second"


def test_progress_is_shown_in_place_or_now_and_then():
    for stream, every in ((Terminal(), progress.ON_TERMINAL), (None, 30.0)):
        shown, clock = shown_of(["-"], stream=stream)
        for _ in range(5):
            shown.add(1)
            clock.now += every / 2
        shown.end()
        written = shown.stream.getvalue()
        if stream:
            assert written.count("\r") == 3 and written.endswith("\r\x1b[K")
        else:
            shown_lines = [x.partition(",")[0] for x in written.splitlines()]
            assert shown_lines == ["3 lines", "5 lines"]
    shown, clock = shown_of(["-"], quiet=True)
    clock.now = 99.0
    shown.add(1)
    assert shown.stream.getvalue() == ""
