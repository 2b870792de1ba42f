"""Filtering a file by the scores of its texts."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from typing import BinaryIO

from ...io.packed import packed
from ...text.input_files import Layout
from ...text.parquet import ParquetReader, ParquetWriter
from ...text.reader import Reader, Tally, Text
from .filter_progress import Progress
from .processes import Scorers
from .verdicts import Columns, Verdict


@dataclass(frozen=True)
class Choice:
    """The rule that selects texts.

    Args:
        least: The lowest score to keep.
        below: Keep the texts with a lower score instead.
    """

    least: float
    below: bool = False

    def keeps(self, score: float) -> bool:
        """True if a text with this score is kept."""
        return (score >= self.least) != self.below


@dataclass(frozen=True)
class FileFilter:
    """Copies the texts of a file that a rule selects.

    Args:
        scorers: Score the texts.
        choice: Selects them.
        layout: The settings for reading.
        columns: The columns to add to the output.
        progress: Shows the progress.
    """

    scorers: Scorers
    choice: Choice
    layout: Layout
    columns: Columns = Columns()
    progress: Progress | None = None

    def __call__(self, source: str, sink: BinaryIO, name: str) -> Tally:
        """Filter a file.

        Args:
            source: The file, its URL, or "-" for standard input.
            sink: The open output file.
            name: The name of the output, whose suffix selects the compression.

        Returns:
            The counts of its lines.
        """
        reader = self.layout.reader(source)
        if self.progress:
            self.progress.open(reader)
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
                    self.progress.add(1)
