"""Scores of texts, and how they are written to the output."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...text.reader import Line

SCORE_FIELD = "grammaticality"
REASONS_FIELD = "grammaticality_reasons"


class Verdict(NamedTuple):
    """The score of a text.

    Args:
        score: The probability that the text is grammatical; for a document, the share
            of its sentences that are good.
        reasons: The words that lower the score most; for a document, its bad sentences.
            Empty unless requested.
        problem: The error if the pipeline fails on the text.
    """

    score: float
    reasons: tuple[str, ...] = ()
    problem: str = ""


class Columns(NamedTuple):
    """The columns that are added to the output."""

    scores: bool = False
    reasons: bool = False

    def line(self, line: Line, verdict: Verdict) -> bytes:
        """The output line, with the score and its reasons before it, separated by tabs,
        or in fields of the JSON object."""
        if not (self.scores or self.reasons):
            return line.content + b"\n"
        if line.fields is None:
            front = f"{verdict.score:.4f}\t" if self.scores else ""
            if self.reasons:
                reasons = (" ".join(x.split()) for x in verdict.reasons)
                front += " | ".join(reasons) + "\t"
            return front.encode() + line.content + b"\n"
        fields = dict(line.fields)
        if self.scores:
            fields[SCORE_FIELD] = round(verdict.score, 4)
        if self.reasons:
            fields[REASONS_FIELD] = list(verdict.reasons)
        return json.dumps(fields, ensure_ascii=False).encode() + b"\n"

    def table(self, batch: Any, kept: Sequence[tuple[int, Verdict]]) -> Any:
        """Rows of an Arrow batch or table, selected by index, with the added columns in
        place of any that have the same names."""
        import pyarrow as pa

        rows = batch.take(pa.array([place for place, _ in kept], pa.int64()))
        rows = pa.Table.from_arrays(rows.columns, schema=rows.schema)
        added = []
        if self.scores:
            scores = [verdict.score for _, verdict in kept]
            added.append((SCORE_FIELD, pa.array(scores, pa.float32())))
        if self.reasons:
            reasons = [list(verdict.reasons) for _, verdict in kept]
            added.append((REASONS_FIELD, pa.array(reasons, pa.list_(pa.string()))))
        for name, values in added:
            if name in rows.column_names:
                rows = rows.drop_columns([name])
            rows = rows.append_column(name, values)
        return rows
