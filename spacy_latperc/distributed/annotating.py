"""Annotating files of any size with columns."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, BinaryIO

from ..io.packed import packed, without_packing
from ..text.input_files import Layout, format_of
from ..text.parquet import ParquetReader, ParquetWriter
from ..text.reader import Line, LineReader, Tally
from .annotators import TextAnnotator, add_columns

TEXT = "text"
_AT_ONCE = 1000


@dataclass(frozen=True)
class FileAnnotator:
    """Writes the texts of a file with the annotation of a pipeline in columns.

    Args:
        annotator: Annotates the texts.
        layout: The settings for reading.
        progress: Called with the number of texts that were annotated.
    """

    annotator: TextAnnotator
    layout: Layout
    progress: Callable[[int], None] | None = None

    def __call__(self, source: str, sink: BinaryIO, name: str) -> Tally:
        """Annotate a file.

        Args:
            source: The file, or its URL.
            sink: The open output file.
            name: The name of the output. Its suffix selects the compression, and
                .parquet turns lines of text into a table.

        Returns:
            The counts of its texts.
        """
        reader = self.layout.reader(source)
        if isinstance(reader, LineReader) and not name.endswith(".parquet"):
            with packed(sink, name) as file:
                for lines in _batches(reader):
                    file.write(self._objects(lines))
                    self._count(reader, len(lines))
            return reader.tally
        with closing(ParquetWriter(sink)) as writer:
            for table, texts in _tables(reader):
                found = self.annotator(texts)
                writer.write(add_columns(table, self.annotator, found))
                self._count(reader, len(texts) - texts.count(None))
        return reader.tally

    def _objects(self, lines: list[Line]) -> bytes:
        """Annotate lines, as JSON objects."""
        found = self.annotator([line.text for line in lines])
        written = []
        for line, values in zip(lines, zip(*found.values(), strict=True), strict=True):
            row = dict(line.fields or {TEXT: line.text})
            row.update(zip(found, values, strict=True))
            written.append(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        return b"".join(written)

    def _count(self, reader: LineReader | ParquetReader, texts: int) -> None:
        reader.tally.scored += texts
        reader.tally.kept += texts
        if self.progress:
            self.progress(texts)


def annotated_name(path: str, name: str) -> str:
    """The name of an output: text becomes JSONL, with the same compression."""
    if format_of(path) != "text":
        return name
    inner = without_packing(name)
    return f"{inner}.jsonl{name.removeprefix(inner)}"


def _batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    lines = iter(lines)
    while batch := list(islice(lines, _AT_ONCE)):
        yield batch


def _tables(
    reader: LineReader | ParquetReader,
) -> Iterator[tuple[Any, list[str | None]]]:
    """Yield the tables to annotate and their texts, beginning with an empty table. Rows
    without text are kept."""
    import pyarrow as pa

    if isinstance(reader, ParquetReader):
        yield reader.schema.empty_table(), []
        for batch in reader.batches():
            rows = list(reader.rows(batch))
            places = pa.array([row.place for row in rows], pa.int64())
            yield batch.take(places), [row.text or None for row in rows]
        return
    for lines in chain([[]], _batches(reader)):
        texts: list[str | None] = [line.text for line in lines]
        yield pa.table({TEXT: pa.array(texts, pa.string())}), texts
