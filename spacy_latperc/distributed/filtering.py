"""`filter` on a cluster: the same decisions, and the same bytes."""

import io
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from spacy.language import Language

from ..errors import Errors
from ..grammaticality.filter.files import Layout, TextFile
from ..grammaticality.filter.lines import Line, Reader
from ..grammaticality.filter.parquet import Row, written_rows
from ..grammaticality.filter.run import Choice, Record, Tally, Told
from ..grammaticality.filter.scores import AT_ONCE, LineScorer, ScoringSettings
from ..grammaticality.filter.verdicts import Verdict
from ..io.packed import STDIN
from .pieces import (
    Piece,
    Sink,
    line_reader,
    open_sink,
    row_reader,
    rows_of,
    table_to_bytes,
)
from .run import work_on_files


def filter_on_cluster(
    ray: Any,
    nlp: Language,
    files: Sequence[TextFile],
    target: Path | str,
    settings: ScoringSettings,
    choice: Choice,
    layout: Layout,
    record: Record | None,
    *,
    workers: int | None = None,
    progress: Told | None = None,
    told: Callable[[TextFile, Tally, bool], None] | None = None,
) -> Tally:
    """Write what is good enough of files. Those that were done before are left.

    Args:
        ray: The module, connected to a cluster.
        nlp: The pipeline.
        files: What is read.
        target: The folder of what is written; without a record, the file.
        settings: How texts are scored.
        choice: What is kept.
        layout: How files are read and written.
        record: Of the folder.
        workers: How many work; by default one for each CPU.
        progress: Told how many lines were scored.
        told: Told of each file, and whether it was done before.

    Returns:
        What became of all lines.
    """
    whole = Tally()

    def place(file: TextFile) -> str:
        return str(target if record is None else Path(target) / file.name)

    def tell(file: TextFile, tally: Tally, before: bool) -> None:
        whole.add(tally)
        if told and record is not None:
            told(file, tally, before)

    left = []
    for file in files:
        done = record.done(file, Path(place(file))) if record is not None else None
        if done is None:
            left.append(file)
        else:
            tell(file, done, True)
    if not left:
        return whole
    work = (settings, choice, layout)
    found = work_on_files(ray, nlp, left, layout, FilterWorker, work, workers=workers)
    with closing(found):
        for file, format, pieces in found:
            try:
                tally = _write(pieces, place(file), format, progress)
            except ValueError as error:
                if record is None or not layout.skip_bad:
                    raise
                tally = Tally(unread=str(error))
            if record is not None:
                record.add(file, tally)
            tell(file, tally, False)
    return whole


def _write(
    pieces: Iterator[Piece], target: str, format: str, progress: Told | None
) -> Tally:
    tally = Tally()
    with _opened(target, format) as sink:
        for piece in pieces:
            if piece.problem:
                raise ValueError(piece.problem)
            found = Tally(**json.loads(piece.report))
            tally.add(found)
            try:
                sink.write(piece.content)
            except BrokenPipeError:  # no failure: who reads has seen enough
                raise
            except OSError as error:
                message = Errors.LP342.format(path=target, error=error)
                raise OSError(message) from error
            if progress:
                progress(found.scored)
    return tally


@contextmanager
def _opened(target: str, format: str) -> Iterator[Sink]:
    if target == STDIN:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with open_sink(Path(target), format) as sink:
        yield sink


# On the cluster -----------------------------------------------------------------------


class FilterWorker:
    """Keeps what is good enough of pieces.

    Args:
        load: Loads the pipeline.
        settings: How texts are scored.
        choice: What is kept.
        layout: How files are read and written.
    """

    def __init__(
        self,
        load: Callable[[], Language],
        settings: ScoringSettings,
        choice: Choice,
        layout: Layout,
    ):
        self.scorer = LineScorer(settings, load)
        self.choice = choice
        self.layout = layout

    def __call__(self, piece: Piece) -> Piece:
        """What is kept of a piece, with a tally as its report."""
        columns = self.layout.columns
        if piece.format == "parquet":
            batch = rows_of(piece)
            rows = row_reader(piece, self.layout)
            kept, tally = self._kept(rows, rows.read(batch), piece.first)
            numbers = [(row.number, verdict) for row, verdict in kept]
            content = table_to_bytes(written_rows(batch, numbers, columns))
        else:
            lines = line_reader(piece, self.layout)
            found = lines.read(io.BytesIO(piece.content))
            kept, tally = self._kept(lines, found, piece.first)
            content = b"".join(line.written(v, columns) for line, v in kept)
        return replace(piece, content=content, report=json.dumps(asdict(tally)))

    def _kept(
        self, reader: Reader, items: Iterator[Any], first: int
    ) -> tuple[list[tuple[Any, Verdict]], Tally]:
        scored = self._scored(reader, [(reader.lines, item) for item in items])
        kept = [(item, v) for item, v in scored if self.choice.keeps(v.score)]
        said = f"{reader.name}: {reader.first_bad}" if reader.bad else ""
        return kept, Tally(
            lines=reader.lines - first,
            empty=reader.empty,
            bad=reader.bad,
            scored=len(scored),
            kept=len(kept),
            first_bad=said,
        )

    def _scored(
        self, reader: Reader, numbered: list[tuple[int, Any]]
    ) -> list[tuple[Any, Verdict]]:
        items = [item for _, item in numbered]
        try:
            return list(zip(items, self._verdicts(items), strict=True))
        except Exception:
            # Some text cannot be scored: which, is seen by asking one by one.
            return self._scored_singly(reader, numbered)

    def _scored_singly(
        self, reader: Reader, numbered: list[tuple[int, Any]]
    ) -> list[tuple[Any, Verdict]]:
        found = []
        last = reader.lines
        for number, item in numbered:
            try:
                found.append((item, self._verdicts([item])[0]))
            except Exception as error:
                reader.lines = number
                reader.note(f"cannot be scored ({type(error).__name__}: {error})")
        reader.lines = last
        return found

    def _verdicts(self, items: Sequence[Line | Row]) -> list[Verdict]:
        texts = [item.text for item in items]
        found = []
        for start in range(0, len(texts), AT_ONCE):
            found += self.scorer(texts[start : start + AT_ONCE])
        return found
