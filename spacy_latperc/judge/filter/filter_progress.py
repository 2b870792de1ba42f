"""The progress of a filter: how much is read, and how long the rest will take."""

import sys
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import TextIO

from ...io.packed import STDIN
from ...io.places import is_url
from ...text.input_files import TextFile
from ...text.parquet import ParquetReader
from ...text.reader import LineReader, Tally

ON_TERMINAL, ELSEWHERE = 0.2, 30.0  # seconds between two messages


class Progress:
    """Shows the progress on a terminal in place, and elsewhere line by line."""

    def __init__(
        self,
        paths: Sequence[str],
        *,
        stream: TextIO | None = None,
        quiet: bool = False,
        clock: Callable[[], float] = monotonic,
    ):
        self.stream = stream or sys.stderr
        self.in_place = self.stream.isatty()
        self.quiet = quiet
        self.clock = clock
        self.start = self.shown = clock()
        self.local = not any(path == STDIN or is_url(path) for path in paths)
        self.sizes = {path: _size(path) if self.local else 1 for path in paths}
        self.total = 0 if STDIN in paths else sum(self.sizes.values())
        self.read = 0
        self.lines = 0
        self.reader: LineReader | ParquetReader | None = None

    def open(self, reader: LineReader | ParquetReader) -> None:
        """Take the next file."""
        self.reader = reader

    def add(self, lines: int) -> None:
        """Count lines that are scored, and show the progress if it is time."""
        self.lines += lines
        now = self.clock()
        if now - self.shown >= (ON_TERMINAL if self.in_place else ELSEWHERE):
            self.shown = now
            self._write(self.message())

    def close(self, file: TextFile, tally: Tally, before: bool = False) -> None:
        """Count a file that is done, or was done by an earlier run."""
        self.reader = None
        if before:
            self.total -= self.sizes.get(file.path, 0)
        else:
            self.read += self.sizes.get(file.path, 0)

    def message(self) -> str:
        """Return the state in words, such as "12% of 2.1 MB, 3,000 lines, ..."."""
        seconds = max(self.clock() - self.start, 1e-9)
        said = f"{self.lines:,} lines, {self.lines / seconds:,.0f} a second"
        done = min(self.read + self._read_of_file(), self.total)
        if not self.total:
            return said
        n = f"{self.total / 1e6:,.1f} MB" if self.local else f"{self.total} files"
        if done:
            left = round(seconds * (self.total - done) / done)
            said += f", {timedelta(seconds=left)} left"
        return f"{done / self.total:.0%} of {n}, {said}"

    def end(self) -> None:
        """Remove the message from the terminal."""
        if self.in_place:
            self._write("")

    def _read_of_file(self) -> float:
        packed = getattr(self.reader, "packed", None)  # not of tables
        return float(packed[0].tell()) if packed and self.local else 0.0

    def _write(self, text: str) -> None:
        if not self.quiet:
            self.stream.write(f"\r\x1b[K{text}" if self.in_place else f"{text}\n")
            self.stream.flush()


def _size(path: str) -> int:
    return Path(path).stat().st_size if Path(path).is_file() else 0
