"""Reading and writing one Parquet file, with pyarrow (an extra)."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, BinaryIO, NamedTuple

from ..errors import Errors
from ..io.packed import PARQUET
from ..io.places import import_extra, is_url, open_url
from .reader import BadTextError, Reader, checked, decoded

AT_ONCE = 1000  # rows


class Row(NamedTuple):
    """A row that can be scored.

    Args:
        number: The number of the row, from 1.
        text: The text to score, or "" if there is none.
        batch: The batch of rows that contains it.
        place: The index of the row in the batch.
    """

    number: int
    text: str
    batch: Any
    place: int


class ParquetReader(Reader[Row]):
    """The rows of a table, read in batches.

    Args:
        path: The file, or its URL.
        settings: See Reader.
    """

    unit = "row"

    def __init__(self, path: str, **settings: Any):
        super().__init__(path, **settings)
        pyarrow = _pyarrow(path)
        self._open = ExitStack()
        opened = self._open.enter_context
        file: Any = opened(open_url(path)) if is_url(path) else path
        try:
            self._file = pyarrow.parquet.ParquetFile(file)
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise ValueError(Errors.LP481.format(path=path, error=error)) from error
        self.schema = self._file.schema_arrow
        self.size = self._file.metadata.num_rows
        strings = (pyarrow.string(), pyarrow.large_string())
        known = [column.name for column in self.schema if column.type in strings]
        if self.field not in known:
            names = ", ".join(known) or "no column of text"
            message = Errors.LP480.format(path=path, field=self.field, known=names)
            raise ValueError(message)

    def __iter__(self) -> Iterator[Row]:
        for batch in self.batches():
            yield from (row for row in self.rows(batch) if row.text)

    def batches(self) -> Iterator[Any]:
        """All rows, as Arrow batches."""
        pyarrow = _pyarrow()
        try:
            yield from self._file.iter_batches(batch_size=AT_ONCE)
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            message = Errors.LP481.format(path=self.path, error=error)
            raise ValueError(message) from error
        finally:
            self._file.close()
            self._open.close()

    def rows(self, batch: Any) -> Iterator[Row]:
        """The rows of a batch that are not bad, including those without text."""
        # Arrow does not check that the strings of a file are UTF-8.
        contents = batch[self.field].cast("large_binary").to_pylist()
        for place, content in enumerate(contents):
            self.tally.lines += 1
            number = self.tally.lines
            try:
                text = checked(decoded(content or b""))
            except BadTextError as error:
                self.note(number, error)
                continue
            if not text.strip():
                self.tally.empty += 1
                text = ""
            yield Row(number, text, batch, place)


class ParquetWriter:
    """Writes tables to one file. The first one, which may be empty, sets the schema."""

    def __init__(self, file: BinaryIO):
        self._target = file
        self._file: Any = None

    def write(self, table: Any) -> None:
        """Append an Arrow table."""
        if self._file is None:
            self._file = _pyarrow().parquet.ParquetWriter(self._target, table.schema)
        if len(table):
            self._file.write_table(table)

    def close(self) -> None:
        """Write the footer."""
        if self._file is not None:
            self._file.close()


def _pyarrow(path: str = "") -> Any:
    import_extra("pyarrow.parquet", path, PARQUET)
    return import_extra("pyarrow", path, PARQUET)
