"""A pipeline as a function of tables: for Ray Data, for Spark, and for our commands."""

import json
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, cast

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors
from ..errors.check import check_choice
from ..io.packed import packed, without_packing
from ..io.pipelines import load_pipeline, pipeline_from_bytes
from ..io.process_memory import rare_collections
from ..text.input_files import Layout, format_of
from ..text.parquet import ParquetReader, ParquetWriter
from ..text.reader import Line, LineReader, Tally
from .columns import (
    ERROR,
    Column,
    annotation_columns,
    arrow_type,
    read_columns,
    spark_type,
)

KINDS = ("stop", "keep")
TEXT = "text"
NEW_WORDS = 200_000  # some 100 MB; then the pipeline is loaded anew
_AT_ONCE = 1000
_SHOWN = 60  # characters of a text in a message


class TextAnnotator:
    """A pipeline that turns texts into values of columns.

    Args:
        load: Loads the pipeline.
        errors: "stop" at the first text that the pipeline fails on, or "keep" what went
            wrong in a column of its own, with nothing in the others.
    """

    def __init__(self, load: Callable[[], Language], errors: str = "stop"):
        self.errors = check_choice("errors", errors, KINDS)
        self._load = load
        self._renew()
        self.columns: list[Column] = annotation_columns(self.nlp)

    def _renew(self) -> None:
        self.nlp = self._load()
        self.nlp.max_length = 1 << 40
        self._most_words = len(self.nlp.vocab.strings) + NEW_WORDS

    @property
    def names(self) -> list[str]:
        """Return the types of all columns."""
        kept = [ERROR] if self.errors == "keep" else []
        return [column.name for column in self.columns] + kept

    def __call__(self, texts: Sequence[str | None]) -> dict[str, list[Any]]:
        """The values of all columns. A missing text has none."""
        if len(self.nlp.vocab.strings) > self._most_words:
            self._renew()
        there = [i for i, text in enumerate(texts) if text is not None]
        docs, failed = self._docs([str(texts[i]) for i in there])
        good = [there[i] for i in range(len(there)) if i not in failed]
        found = {}
        for column, values in zip(
            self.columns, read_columns(docs, self.columns), strict=True
        ):
            whole: list[Any] = [None] * len(texts)
            for i, value in zip(good, values, strict=True):
                whole[i] = value
            found[column.name] = whole
        if self.errors == "keep":
            found[ERROR] = [None] * len(texts)
            for i, problem in failed.items():
                found[ERROR][there[i]] = problem
        return found

    def _docs(self, texts: list[str]) -> tuple[list[Doc], dict[int, str]]:
        """Docs of all texts that do not fail, and what is wrong with the others."""
        try:
            with rare_collections():
                return list(self.nlp.pipe(texts, batch_size=_AT_ONCE)), {}
        except Exception:
            # Some text is at fault: which, is seen by asking one by one.
            return self._docs_singly(texts)

    def _docs_singly(self, texts: list[str]) -> tuple[list[Doc], dict[int, str]]:
        docs, failed = [], {}
        for i, text in enumerate(texts):
            try:
                docs.append(self.nlp(text))
            except Exception as error:
                said = f"{type(error).__name__}: {error}"
                shown = text[:_SHOWN].encode(errors="replace").decode()
                failed[i] = Errors.LP828.format(text=shown, error=said)
                if self.errors == "stop":
                    raise ValueError(failed[i]) from error
        return docs, failed


class ArrowAnnotator:
    """Annotates tables of Arrow: for `map_batches` of a Dataset of Ray.

    Every worker loads the pipeline once. Columns are added for all that it writes:
    `tokens`, `token_starts`, `tags`, `pos`, `morph`, `lemmas`, `heads`, `deps`,
    `sentences`, `ents`, `spans`, `cats`, and scores. Places are characters of the text,
    heads are numbers of tokens.

    Args:
        model: Name or path of a pipeline, the bytes that `pipeline_to_bytes` wrote, or
            a reference to such bytes in the object store of Ray (`ray.put`).
        text: The column of the texts.
        errors: "stop" at the first text that the pipeline fails on, or "keep" what went
            wrong in the column `error`.
    """

    def __init__(self, model: Any, text: str = "text", errors: str = "stop"):
        self.text = text
        self._annotator: TextAnnotator | None = None
        self._failure = ""
        try:
            self._annotator = TextAnnotator(partial(load_anywhere, model), errors)
        except Exception as error:
            # An actor that cannot begin would be tried again and again, with a stack
            # for each: the first batch says it, once.
            self._failure = str(error)

    def __call__(self, table: Any) -> Any:
        """The table with the columns added, which replace those of the same name."""
        if self._annotator is None:
            raise ValueError(self._failure)
        if self.text not in table.column_names:
            known = ", ".join(table.column_names)
            raise ValueError(
                Errors.LP480.format(path="The table", field=self.text, known=known)
            )
        found = self._annotator(_texts(table[self.text]))
        return add_columns(table, self._annotator, found)


class SparkAnnotator:
    """Annotates data frames of Spark: for `mapInPandas`.

    Every Python process of Spark loads the pipeline once. For the columns see
    ArrowAnnotator.

    Args:
        model: Name or path of a pipeline, or the bytes that `pipeline_to_bytes` wrote.
        text: The column of the texts.
        errors: "stop" at the first text that the pipeline fails on, or "keep" what went
            wrong in the column `error`.
    """

    def __init__(self, model: Any, text: str = "text", errors: str = "stop"):
        self.model = str(model) if isinstance(model, Path) else model
        self.text = text
        self.errors = check_choice("errors", errors, KINDS)

    def schema(self, schema: Any) -> str:
        """The columns of what is made.

        Args:
            schema: That of the data frame that is read (`frame.schema`).
        """
        annotator = self._annotator()
        kept = {
            field.name: field.dataType.simpleString()
            for field in schema.fields
            if field.name not in annotator.names
        }
        new = {column.name: spark_type(column) for column in annotator.columns}
        if self.errors == "keep":
            new[ERROR] = "string"
        return ", ".join(f"`{name}` {type_}" for name, type_ in {**kept, **new}.items())

    def __call__(self, frames: Iterator[Any]) -> Iterator[Any]:
        """Annotate data frames of pandas, one after the other."""
        annotator = self._annotator()
        for frame in frames:
            if self.text not in frame.columns:
                known = ", ".join(map(str, frame.columns))
                raise ValueError(
                    Errors.LP480.format(path="The table", field=self.text, known=known)
                )
            texts = [x if isinstance(x, str) else None for x in frame[self.text]]
            found = annotator(texts)
            made = frame.drop(columns=[x for x in annotator.names if x in frame])
            for name, values in found.items():
                made[name] = values
            yield made

    def _annotator(self) -> TextAnnotator:
        key = (self.model, self.errors)
        if key not in _annotators:
            load = partial(load_anywhere, self.model)
            _annotators[key] = TextAnnotator(load, self.errors)
        return _annotators[key]


_annotators: dict[tuple[Any, str], TextAnnotator] = {}  # of this process


def load_anywhere(model: Any) -> Language:
    """A pipeline by its name or path, its bytes, or a reference to them."""
    try:
        if isinstance(model, str | Path):
            return load_pipeline(str(model))
        if not isinstance(model, bytes):
            import ray

            model = ray.get(model)
        return pipeline_from_bytes(model)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise ValueError(
            Errors.LP824.format(node=platform.node(), error=said)
        ) from error


def _texts(column: Any) -> list[Any]:
    """The texts of a column. Bytes that are not UTF-8, which Arrow does not check,
    become characters that no pipeline takes."""
    try:
        return cast(list[Any], column.to_pylist())
    except UnicodeDecodeError:
        contents = column.cast("large_binary").to_pylist()
        return [x and x.decode("utf8", "surrogateescape") for x in contents]


def add_columns(
    table: Any, annotator: TextAnnotator, found: dict[str, list[Any]]
) -> Any:
    """A table or batch of Arrow as a table with columns, in place of its own of the
    same names."""
    import pyarrow as pa

    names, arrays = [], []
    for name in table.schema.names:
        if name not in annotator.names:
            names.append(name)
            arrays.append(table.column(name))
    for column in annotator.columns:
        names.append(column.name)
        arrays.append(pa.array(found[column.name], arrow_type(column)))
    if ERROR in found:
        names.append(ERROR)
        arrays.append(pa.array(found[ERROR], pa.string()))
    return pa.table(arrays, names=names)


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
        """Annotate a file."""
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
