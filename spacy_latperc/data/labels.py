"""The annotation of a table: all of it certain, or some of it open."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import Errors
from .label_spans import SpanColumn, all_label_spans
from .partial import OpenTokens, read_partial
from .table import Table


@dataclass(frozen=True, eq=False)
class Labelled:
    """A table whose tags are certain, its certain spans, and what is open, by column.

    open: None when nothing may be open.
    """

    table: Table
    spans: dict[str, SpanColumn]
    open: dict[str, OpenTokens] | None = None


def read_labels(
    table: Table,
    *,
    chunk_scheme: str = "IOB2",
    ent_scheme: str = "IOB2",
    repair: bool = False,
    partial: bool = False,
    keep_types: Sequence[str] | None = None,
) -> Labelled:
    """The annotation of the columns tag, pos, chunk and ent.

    partial: Labels may be open: "?" is any, "A|B" one of several.
    For the other settings see label_spans.
    """
    if not partial:
        spans = all_label_spans(
            table,
            chunk_scheme=chunk_scheme,
            ent_scheme=ent_scheme,
            repair=repair,
            keep_types=keep_types,
        )
        return Labelled(table, spans)
    if repair:
        raise ValueError(Errors.LP129)
    schemes = {"chunk": chunk_scheme, "ent": ent_scheme}
    return Labelled(*read_partial(table, schemes, keep_types=keep_types))
