"""`filter` on a cluster: the same decisions, and the same bytes."""

import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from spacy.language import Language

from ..grammaticality.filter.files import Layout, TextFile
from ..grammaticality.filter.lines import Line, Reader
from ..grammaticality.filter.parquet import Row, written_rows
from ..grammaticality.filter.run import Choice, Tally
from ..grammaticality.filter.scores import AT_ONCE, LineScorer, ScoringSettings
from ..grammaticality.filter.verdicts import Verdict
from .output import Output
from .pieces import Piece, line_reader, row_reader, rows_of, table_to_bytes
from .run import work_on_files


def filter_on_cluster(
    ray: Any,
    nlp: Language,
    files: Sequence[TextFile],
    output: Output,
    settings: ScoringSettings,
    choice: Choice,
    layout: Layout,
    *,
    workers: int | None = None,
) -> Tally:
    """Write what is good enough of files. Those that were done before are left.

    Args:
        ray: The module, connected to a cluster.
        nlp: The pipeline.
        files: What is read.
        output: Where what is kept goes.
        settings: How texts are scored.
        choice: What is kept.
        layout: How files are read and written.
        workers: How many work; by default one for each CPU.

    Returns:
        What became of all lines.
    """
    if left := output.left(files):
        work = (settings, choice, layout)
        output.write(
            work_on_files(ray, nlp, left, layout, FilterWorker, work, workers=workers)
        )
    return output.whole


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
