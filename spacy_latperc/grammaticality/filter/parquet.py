"""Rows of Parquet tables, as lines that can be scored. They need pyarrow, an extra."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import Errors
from ...io.packed import PARQUET
from ...io.places import FORMATS_EXTRA, is_url, open_url
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


class RowReader(Reader):
    """Reads rows of tables that are open already."""

    unit = "row"

    def read(self, batch: Any) -> Iterator[Row]:
        """Those of a batch, which is behind those read before."""
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


class ParquetReader(RowReader):
    """Reads the rows of a table, some thousands at a time."""

    def __init__(self, path: str, **settings: Any):
        super().__init__(path, **settings)
        self.path = path
        pyarrow, parquet = _modules(path)
        self._open = ExitStack()
        file: Any = Path(path)
        if is_url(path):
            file = self._open.enter_context(open_url(path))
        try:
            self._file = parquet.ParquetFile(file)
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
        for batch in self.batches():
            yield from self.read(batch)

    def batches(self) -> Iterator[Any]:
        """All rows, in batches of Arrow."""
        pyarrow, _ = _modules(self.path)
        try:
            yield from self._file.iter_batches(batch_size=AT_ONCE)
        except (pyarrow.ArrowInvalid, OSError) as error:
            message = Errors.LP481.format(path=self.path, error=error)
            raise ValueError(message) from error
        finally:
            self._file.close()
            self._open.close()


def written_schema(schema: Any, columns: Columns) -> Any:
    """The columns of a table, and those of our own behind them."""
    for name, type_ in _new_columns(columns).items():
        if name in schema.names:
            schema = schema.remove(schema.get_field_index(name))
        schema = schema.append(_arrow().field(name, type_))
    return schema


def written_rows(
    batch: Any, kept: Sequence[tuple[int, Verdict]], columns: Columns
) -> Any:
    """Rows of a batch, by their numbers, with columns of our own."""
    arrow = _arrow()
    schema = written_schema(batch.schema, columns)
    rows = batch.take(arrow.array([number for number, _ in kept], arrow.int64()))
    found = {
        SCORE_FIELD: [verdict.score for _, verdict in kept],
        REASONS_FIELD: [list(verdict.reasons) for _, verdict in kept],
    }
    new = _new_columns(columns)
    arrays = [
        arrow.array(found[column.name], type=column.type)
        if column.name in new
        else rows[column.name]
        for column in schema
    ]
    return arrow.RecordBatch.from_arrays(arrays, schema=schema)


def _new_columns(columns: Columns) -> dict[str, Any]:
    arrow = _arrow()
    new = {}
    if columns.scores:
        new[SCORE_FIELD] = arrow.float32()
    if columns.reasons:
        new[REASONS_FIELD] = arrow.list_(arrow.string())
    return new


class ParquetWriter:
    """Writes rows of the same columns, and columns of our own behind them."""

    def __init__(self, path: Path, schema: Any, columns: Columns):
        _, parquet = _modules(path)
        self._columns = columns
        self._file = parquet.ParquetWriter(path, written_schema(schema, columns))
        self._batch: Any = None
        self._kept: list[tuple[int, Verdict]] = []

    def write(self, row: Row, verdict: Verdict) -> None:
        """Write a row that is kept."""
        if row.batch is not self._batch:
            self._flush()
            self._batch = row.batch
        self._kept.append((row.number, verdict))

    def _flush(self) -> None:
        if self._kept:
            rows = written_rows(self._batch, self._kept, self._columns)
            self._file.write_batch(rows)
            self._kept = []

    def close(self) -> None:
        """Write what waits, and the end of the file."""
        try:
            self._flush()
        finally:
            self._file.close()


def _arrow() -> Any:
    import pyarrow

    return pyarrow


def _modules(path: Path | str) -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        message = Errors.LP571.format(path=path, format=PARQUET, extra=FORMATS_EXTRA)
        raise ValueError(message) from error
    return pyarrow, pyarrow.parquet
