"""Rows of Parquet tables, as lines that can be scored. They need pyarrow, an extra."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import Errors
from ...io.packed import FORMATS_EXTRA, PARQUET
from .lines import BadLineError, Reader
from .verdicts import REASONS_FIELD, SCORE_FIELD, Columns, Verdict

AT_ONCE = 1000  # rows


class Row(NamedTuple):
    """A row that can be scored.

    Args:
        text: What is scored.
        batch: The rows among which it is.
        number: Which of them it is.
    """

    text: str
    batch: Any
    number: int


class ParquetReader(Reader):
    """Reads the rows of a table, some thousands at a time.

    Args:
        path: The file.
        settings: See Reader.
    """

    unit = "row"

    def __init__(self, path: Path, **settings: Any):
        super().__init__(str(path), **settings)
        self.path = path
        pyarrow, parquet = _modules(path)
        try:
            self._file = parquet.ParquetFile(path)
        except (pyarrow.ArrowInvalid, OSError) as error:
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
        pyarrow, _ = _modules(self.path)
        try:
            for batch in self._file.iter_batches(batch_size=AT_ONCE):
                for number, text in enumerate(batch[self.field].to_pylist()):
                    self.lines += 1
                    if text is None or not text.strip():
                        self.empty += 1
                        continue
                    try:
                        self.check(text)
                    except BadLineError as error:
                        self.note(error)
                        continue
                    yield Row(text, batch, number)
        except (pyarrow.ArrowInvalid, OSError) as error:
            message = Errors.LP481.format(path=self.path, error=error)
            raise ValueError(message) from error
        finally:
            self._file.close()


class ParquetWriter:
    """Writes rows of the same columns, and columns of our own behind them.

    Args:
        path: The file.
        reader: Of the rows.
        columns: What is written beside them.
    """

    def __init__(self, path: Path, reader: ParquetReader, columns: Columns):
        self._arrow, parquet = _modules(path)
        self._columns = columns
        self._new = {
            SCORE_FIELD: self._arrow.float32() if columns.scores else None,
            REASONS_FIELD: (
                self._arrow.list_(self._arrow.string()) if columns.reasons else None
            ),
        }
        schema = reader.schema
        for name, type_ in self._new.items():
            if type_ is None:
                continue
            if name in schema.names:
                schema = schema.remove(schema.get_field_index(name))
            schema = schema.append(self._arrow.field(name, type_))
        self._schema = schema
        self._file = parquet.ParquetWriter(path, schema)
        self._batch: Any = None
        self._kept: list[tuple[int, Verdict]] = []

    def write(self, row: Row, verdict: Verdict) -> None:
        """Write a row that is kept."""
        if row.batch is not self._batch:
            self._flush()
            self._batch = row.batch
        self._kept.append((row.number, verdict))

    def _flush(self) -> None:
        if not self._kept:
            return
        rows = self._batch.take([number for number, _ in self._kept])
        found = {
            SCORE_FIELD: [verdict.score for _, verdict in self._kept],
            REASONS_FIELD: [list(verdict.reasons) for _, verdict in self._kept],
        }
        arrays = [
            self._arrow.array(found[column.name], type=column.type)
            if self._new.get(column.name) is not None
            else rows[column.name]
            for column in self._schema
        ]
        self._file.write_batch(
            self._arrow.RecordBatch.from_arrays(arrays, schema=self._schema)
        )
        self._kept = []

    def close(self) -> None:
        """Write what waits, and the end of the file."""
        try:
            self._flush()
        finally:
            self._file.close()


def _modules(path: Path) -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        message = Errors.LP571.format(path=path, format=PARQUET, extra=FORMATS_EXTRA)
        raise ValueError(message) from error
    return pyarrow, pyarrow.parquet
