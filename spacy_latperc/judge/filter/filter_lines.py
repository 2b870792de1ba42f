"""Filtering a file by the scores of its texts."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from typing import Any, BinaryIO, NamedTuple

from ...io.packed import packed
from ...text.input_files import Layout
from ...text.parquet import ParquetReader, ParquetWriter
from ...text.reader import Line, Reader, Tally
from .filter_progress import Progress
from .filter_scores import Verdict
from .processes import Scorers

SCORE_FIELD = "grammaticality"
REASONS_FIELD = "grammaticality_reasons"


@dataclass(frozen=True)
class Choice:
    """The rule that selects texts."""

    least: float
    below: bool = False

    def keeps(self, score: float) -> bool:
        """True if a text with this score is kept."""
        return (score >= self.least) != self.below


class Columns(NamedTuple):
    """The columns that are added to the output."""

    scores: bool = False
    reasons: bool = False

    def line(self, line: Line, verdict: Verdict) -> bytes:
        """The output line, with the score and its reasons before it, separated by tabs,
        or in fields of the JSON object."""
        if not (self.scores or self.reasons):
            return line.content + b"\n"
        if line.fields is None:
            front = f"{verdict.score:.4f}\t" if self.scores else ""
            if self.reasons:
                reasons = (" ".join(x.split()) for x in verdict.reasons)
                front += " | ".join(reasons) + "\t"
            return front.encode() + line.content + b"\n"
        fields = dict(line.fields)
        if self.scores:
            fields[SCORE_FIELD] = round(verdict.score, 4)
        if self.reasons:
            fields[REASONS_FIELD] = list(verdict.reasons)
        return json.dumps(fields, ensure_ascii=False).encode() + b"\n"

    def table(self, batch: Any, kept: Sequence[tuple[int, Verdict]]) -> Any:
        """Rows of an Arrow batch or table, selected by index, with the added columns in
        place of any that have the same names."""
        import pyarrow as pa

        rows = batch.take(pa.array([place for place, _ in kept], pa.int64()))
        rows = pa.Table.from_arrays(rows.columns, schema=rows.schema)
        added = []
        if self.scores:
            scores = [verdict.score for _, verdict in kept]
            added.append((SCORE_FIELD, pa.array(scores, pa.float32())))
        if self.reasons:
            reasons = [list(verdict.reasons) for _, verdict in kept]
            added.append((REASONS_FIELD, pa.array(reasons, pa.list_(pa.string()))))
        for name, values in added:
            if name in rows.column_names:
                rows = rows.drop_columns([name])
            rows = rows.append_column(name, values)
        return rows


@dataclass(frozen=True)
class FileFilter:
    """Copies the texts of a file that a rule selects."""

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

    def _kept(self, reader: Reader[Any]) -> Iterator[tuple[Any, Verdict]]:
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
