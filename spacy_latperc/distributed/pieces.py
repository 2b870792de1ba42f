"""Files in pieces, which Ray Data hands from those that read to those that work.

A piece holds whole lines, or some rows of a table. What was made of it comes back in
the order of the files, so that what is written does not depend on how many machines
worked.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from ..grammaticality.filter.files import Layout
from ..grammaticality.filter.lines import MOST_BYTES, LineReader
from ..grammaticality.filter.parquet import ParquetReader, RowReader
from ..io.atomic import whole_file
from ..io.packed import open_to_pack, open_unpacked

PIECE_BYTES = 1 << 17  # about a thousand sentences


@dataclass(frozen=True)
class Piece:
    """A piece of a file, or what was made of one.

    Args:
        file: The number of the file.
        path: Where it is.
        format: One of FORMATS of the filter.
        first: How many lines or rows come before.
        content: Whole lines, or a table of Arrow in its own format.
        problem: Why this piece, or the rest of the file, cannot be worked on.
        report: What the worker says about it, as JSON.
    """

    file: int
    path: str
    format: str
    first: int = 0
    content: bytes = b""
    problem: str = ""
    report: str = "{}"


def read_pieces(number: int, path: str, format: str, field: str) -> Iterator[Piece]:
    """A file piece by piece; one at least, and the last says what went wrong.

    Args:
        number: Of the file.
        path: The file, or its URL.
        format: One of FORMATS.
        field: Of tables: where the text is.
    """
    first = 0
    try:
        found = _tables(path, field) if format == "parquet" else _lines(path)
        for content, n in found:
            yield Piece(number, path, format, first, content)
            first += n
    except (ValueError, OSError) as error:
        yield Piece(number, path, format, first, problem=str(error))


def _lines(path: str) -> Iterator[tuple[bytes, int]]:
    lines: list[bytes] = []
    size = 0
    with open_unpacked(path) as file:
        # Cut only where one who reads all of the file would, too: see LineReader.
        while line := file.readline(MOST_BYTES):
            lines.append(line)
            size += len(line)
            if size >= PIECE_BYTES:
                yield b"".join(lines), len(lines)
                lines, size = [], 0
    yield b"".join(lines), len(lines)


def _tables(path: str, field: str) -> Iterator[tuple[bytes, int]]:
    reader = ParquetReader(path, field=field)
    yield table_to_bytes(reader.schema.empty_table()), 0
    for batch in reader.batches():
        yield table_to_bytes(batch), len(batch)


def line_reader(piece: Piece, layout: Layout) -> LineReader:
    """A reader that stands before the lines of a piece."""
    reader = LineReader(
        piece.path,
        json=piece.format == "jsonl",
        field=layout.field,
        skip_bad=layout.skip_bad,
    )
    reader.lines = piece.first
    return reader


def row_reader(piece: Piece, layout: Layout) -> RowReader:
    """A reader that stands before the rows of a piece."""
    reader = RowReader(piece.path, field=layout.field, skip_bad=layout.skip_bad)
    reader.lines = piece.first
    return reader


def rows_of(piece: Piece) -> Any:
    """The rows of a piece, as one batch of Arrow."""
    import pyarrow

    table = pyarrow.ipc.open_stream(piece.content).read_all().combine_chunks()
    if batches := table.to_batches():
        return batches[0]
    empty = [pyarrow.array([], column.type) for column in table.schema]
    return pyarrow.RecordBatch.from_arrays(empty, schema=table.schema)


def table_to_bytes(table: Any) -> bytes:
    """A table or a batch of Arrow in its own format."""
    import pyarrow

    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write(table)
    return cast(bytes, sink.getvalue().to_pybytes())


# Between machines: those who read load this module and none of spaCy ------------------


def read_in_pieces(table: Any, field: str) -> Iterator[Any]:
    """Files, named in the rows of a table, piece by piece: for `map_batches`."""
    for row in table.to_pylist():
        for piece in read_pieces(row["file"], row["path"], row["format"], field):
            yield pieces_to_table([piece])


_NAMES = tuple(field.name for field in fields(Piece))


def pieces_to_table(pieces: Sequence[Piece]) -> Any:
    """Pieces as rows of a table of Arrow."""
    import pyarrow as pa

    text = pa.string()
    types = (pa.int64(), text, text, pa.int64(), pa.large_binary(), text, text)
    columns = zip(*map(_values, pieces), strict=True)
    arrays = [pa.array(c, t) for c, t in zip(columns, types, strict=True)]
    return pa.table(dict(zip(_NAMES, arrays, strict=True)))


def _values(piece: Piece) -> tuple[Any, ...]:
    return tuple(getattr(piece, name) for name in _NAMES)


def pieces_from_table(table: Any) -> Iterator[Piece]:
    """The pieces in the rows of a table."""
    for row in table.to_pylist():
        yield Piece(**{name: row[name] for name in _NAMES})


# What is written ----------------------------------------------------------------------


@runtime_checkable
class Sink(Protocol):
    """Takes what was made of pieces."""

    def write(self, content: bytes) -> object:
        """Write lines, or a table of Arrow in its own format."""
        ...


@contextmanager
def open_sink(path: Path, format: str) -> Iterator[Sink]:
    """Write a file, which gets its name when the block ends without an error.

    Args:
        path: The file, packed as its name says.
        format: One of FORMATS.
    """
    with whole_file(path) as fresh:
        if format != "parquet":
            with open_to_pack(fresh, path.name) as file:
                yield file
            return
        tables = _Tables(fresh)
        try:
            yield tables
        finally:
            tables.close()


class _Tables:
    """Tables of the same columns, one behind the other in a file."""

    def __init__(self, path: Path):
        self._path = path
        self._file: Any = None

    def write(self, content: bytes) -> None:
        import pyarrow.parquet

        table = pyarrow.ipc.open_stream(content).read_all()
        if self._file is None:
            self._file = pyarrow.parquet.ParquetWriter(self._path, table.schema)
        if len(table):
            self._file.write_table(table)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
