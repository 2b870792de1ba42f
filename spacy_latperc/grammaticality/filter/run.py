"""From one file into another: what is good enough."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from typing import BinaryIO

from ...io.packed import packed
from ...text.parquet import ParquetReader, ParquetWriter
from ...text.reader import Reader, Tally, Text
from ...text.sources import Layout
from .scores import Scorers
from .verdicts import Columns, Verdict


@dataclass(frozen=True)
class Choice:
    """Which texts are kept.

    Args:
        least: The lowest score.
        below: Those with a lower score instead.
    """

    least: float
    below: bool = False

    def keeps(self, score: float) -> bool:
        """True for a text with this score that is written."""
        return (score >= self.least) != self.below


@dataclass(frozen=True)
class FileFilter:
    """Writes what is good enough of a file.

    Args:
        scorers: Give the verdicts.
        choice: What is kept.
        layout: How files are read.
        columns: What is written beside the text.
        progress: Told how many lines were scored.
    """

    scorers: Scorers
    choice: Choice
    layout: Layout
    columns: Columns = Columns()
    progress: Callable[[int], None] | None = None

    def __call__(self, source: str, sink: BinaryIO, name: str) -> Tally:
        """Filter a file.

        Args:
            source: The file, its URL, or "-" for the standard input.
            sink: The open file to write to.
            name: Its name, which says how it is packed.

        Returns:
            What became of the lines.
        """
        reader = self.layout.reader(source)
        if isinstance(reader, ParquetReader):
            self._write_rows(reader, sink)
        else:
            with packed(sink, name) as file:
                for line, verdict in self._kept(reader):
                    file.write(self.columns.line(line, verdict))
        return reader.tally

    def _write_rows(self, reader: ParquetReader, sink: BinaryIO) -> None:
        writer = ParquetWriter(sink)
        with closing(writer):
            writer.write(self.columns.table(reader.schema.empty_table(), []))
            for _, found in groupby(self._kept(reader), lambda kept: id(kept[0].batch)):
                rows = list(found)
                kept = [(row.place, verdict) for row, verdict in rows]
                writer.write(self.columns.table(rows[0][0].batch, kept))

    def _kept(self, reader: Reader[Text]) -> Iterator[tuple[Text, Verdict]]:
        tally = reader.tally
        with closing(self.scorers.scored(reader)) as found:
            for item, verdict in found:
                if verdict.problem:
                    reader.note(item.number, verdict.problem)
                    continue
                tally.scored += 1
                if self.choice.keeps(verdict.score):
                    tally.kept += 1
                    yield item, verdict
                if self.progress:
                    self.progress(1)
