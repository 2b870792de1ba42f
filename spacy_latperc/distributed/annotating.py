"""`annotate` of files of any size, here or on a cluster: texts in, columns out."""

import io
import json
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from typing import Any

from spacy.language import Language

from ..grammaticality.filter.files import Layout, TextFile
from ..grammaticality.filter.run import Tally
from ..io.packed import without_packing
from .annotators import TextAnnotator, add_columns
from .output import Made, Output
from .pieces import Piece, line_reader, rows_of, table_to_bytes
from .run import work_here, work_on_files

TEXT = "text"


def annotate_files(
    ray: Any | None,
    load: Callable[[], Language],
    files: Sequence[TextFile],
    output: Output,
    layout: Layout,
    *,
    format: str | None = None,
    errors: str = "stop",
    workers: int | None = None,
) -> Tally:
    """Write the texts of files with columns of what the pipeline says about them.

    Args:
        ray: The module, connected to a cluster; without it this process does the work.
        load: Loads the pipeline.
        files: What is read.
        output: Where it goes. Files that were done before are left.
        layout: How files are read.
        format: "jsonl" or "parquet"; by default tables become tables, and all else
            JSONL.
        errors: See TextAnnotator.
        workers: How many work; by default one for each CPU of the cluster.

    Returns:
        What became of all lines.
    """
    if left := output.left(files):
        work = (layout, format, errors)
        if ray is None:
            made = work_here(load, left, layout, AnnotateWorker, work)
        else:
            made = work_on_files(
                ray, load(), left, layout, AnnotateWorker, work, workers=workers
            )
        output.write(_as_written(made, format))
    return output.whole


def annotated_name(name: str) -> str:
    """The name of what is written for a file: text becomes JSONL, packed as before."""
    inner = without_packing(name)
    if inner.endswith((".jsonl", ".parquet")):
        return name
    return f"{inner}.jsonl{name.removeprefix(inner)}"


def _as_written(made: Made, format: str | None) -> Made:
    with closing(made):
        for file, read, pieces in made:
            yield file, _written_format(read, format), pieces


def _written_format(read: str, format: str | None) -> str:
    return format or ("parquet" if read == "parquet" else "jsonl")


# On the cluster -----------------------------------------------------------------------


class AnnotateWorker:
    """Annotates pieces.

    Args:
        load: Loads the pipeline.
        layout: How files are read. Lines that cannot be read are left out where errors
            are kept.
        format: "jsonl" or "parquet", or None for that of each piece.
        errors: See TextAnnotator.
    """

    def __init__(
        self,
        load: Callable[[], Language],
        layout: Layout,
        format: str | None,
        errors: str,
    ):
        self.annotator = TextAnnotator(load, errors)
        self.layout = layout
        self.format = format

    def __call__(self, piece: Piece) -> Piece:
        """A piece with columns, and a tally as its report."""
        if piece.format == "parquet":
            content, tally = self._of_rows(piece)
        else:
            content, tally = self._of_lines(piece)
        return replace(piece, content=content, report=json.dumps(asdict(tally)))

    def _of_rows(self, piece: Piece) -> tuple[bytes, Tally]:
        batch = rows_of(piece)
        texts = [
            text if text and text.strip() else None
            for text in batch[self.layout.field].to_pylist()
        ]
        table = add_columns(batch, self.annotator, self.annotator(texts))
        empty = texts.count(None)
        scored = len(texts) - empty
        return table_to_bytes(table), Tally(len(texts), empty, 0, scored, scored)

    def _of_lines(self, piece: Piece) -> tuple[bytes, Tally]:
        reader = line_reader(piece, self.layout)
        lines = list(reader.read(io.BytesIO(piece.content)))
        texts = [line.text for line in lines]
        found = self.annotator(texts)
        tally = Tally(reader.lines - piece.first, reader.empty, reader.bad)
        tally.scored = tally.kept = len(lines)
        if reader.bad:
            tally.first_bad = f"{reader.name}: {reader.first_bad}"
        if _written_format(piece.format, self.format) == "parquet":
            import pyarrow as pa

            table = pa.table({TEXT: pa.array(texts, pa.string())})
            return table_to_bytes(add_columns(table, self.annotator, found)), tally
        written = []
        for line, values in zip(lines, zip(*found.values(), strict=True), strict=True):
            row = dict(line.fields or {TEXT: line.text})
            row.update(zip(found, values, strict=True))
            written.append(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        return b"".join(written), tally
