"""Rows of Parquet tables, as texts. They need pyarrow, an extra."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..errors import Errors
from ..io.packed import PARQUET
from ..io.places import FORMATS_EXTRA, is_url, open_url
from .reader import BadTextError, Reader, checked, decoded

AT_ONCE = 1000  # rows


class Row(NamedTuple):
    """A row that can be scored.

    Args:
        number: Its number in the table, from 1.
        text: What is scored; empty if there is none.
        batch: The rows among which it is.
        place: Its index there.
    """

    number: int
    text: str
    batch: Any
    place: int


class ParquetReader(Reader[Row]):
    """The rows of a table, some thousands at a time.

    Args:
        path: The file, or its URL.
        settings: See Reader.
    """

    unit = "row"

    def __init__(self, path: str, **settings: Any):
        super().__init__(path, **settings)
        pyarrow, parquet = _modules(path)
        self._open = ExitStack()
        file: Any = Path(path)
        if is_url(path):
            file = self._open.enter_context(open_url(path))
        try:
            self._file = parquet.ParquetFile(file)
        except (pyarrow.ArrowException, OSError) as error:
            raise ValueError(Errors.LP481.format(path=path, error=error)) from error
        self.schema = self._file.schema_arrow
        types = pyarrow.types
        known = [
            column.name
            for column in self.schema
            if types.is_string(column.type) or types.is_large_string(column.type)
        ]
        if self.field not in known:
            names = ", ".join(known) or "no column of text"
            raise ValueError(
                Errors.LP480.format(path=path, field=self.field, known=names)
            )

    def __iter__(self) -> Iterator[Row]:
        for batch in self.batches():
            yield from (row for row in self.rows(batch) if row.text)

    def batches(self) -> Iterator[Any]:
        """All rows, in batches of Arrow."""
        pyarrow, _ = _modules(self.path)
        try:
            yield from self._file.iter_batches(batch_size=AT_ONCE)
        except (pyarrow.ArrowException, OSError) as error:
            message = Errors.LP481.format(path=self.path, error=error)
            raise ValueError(message) from error
        finally:
            self._file.close()
            self._open.close()

    def rows(self, batch: Any) -> Iterator[Row]:
        """The rows of a batch, also those without a text, but none that are bad."""
        pyarrow, _ = _modules(self.path)
        # As bytes: Arrow does not check what a file calls a string.
        contents = batch[self.field].cast(pyarrow.large_binary()).to_pylist()
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
    """A file of tables that have the same columns. The first one, which may be empty,
    says which."""

    def __init__(self, file: BinaryIO):
        self._target = file
        self._file: Any = None

    def write(self, table: Any) -> None:
        """Write a table of Arrow."""
        if self._file is None:
            _, parquet = _modules("")
            self._file = parquet.ParquetWriter(self._target, table.schema)
        if len(table):
            self._file.write_table(table)

    def close(self) -> None:
        """Write the end of the file."""
        if self._file is not None:
            self._file.close()


def _modules(path: str) -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        message = Errors.LP571.format(path=path, format=PARQUET, extra=FORMATS_EXTRA)
        raise ValueError(message) from error
    return pyarrow, pyarrow.parquet
