"""Conversion of a column of chunk or entity labels to spans."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..schemes import (
    Chunks,
    LabelReader,
    Scheme,
    changed_by_repair,
    detect_scheme_of_ids,
    get_scheme,
    split_label,
)
from .table import Column, Table

AUTO = "auto"
Ids = NDArray[np.int32]
_TOKENS = 1 << 16  # the number of sentences that are read at once
_FEW = np.iinfo(np.int16).max  # types


@dataclass(frozen=True, eq=False)
class SpanColumn:
    """The spans of a table: positions in the flat token arrays, ends exclusive.

    Attributes:
        types: The names of the types; type_ids are positions in it.
        offsets: Span positions where sentences start, then the number of spans.
        scheme: The representation in which the labels were read.
        repaired: The number of labels that were invalid in it.
    """

    types: list[str]
    starts: Ids
    ends: Ids
    type_ids: NDArray[np.integer]
    offsets: NDArray[np.int64]
    scheme: str
    repaired: int

    @property
    def nbytes(self) -> int:
        """The size of the arrays in bytes."""
        arrays = (self.starts, self.ends, self.type_ids, self.offsets)
        return sum(array.nbytes for array in arrays)


def label_spans(
    table: Table,
    column: str,
    *,
    scheme: str = "IOB2",
    repair: bool = False,
    keep_types: Sequence[str] | None = None,
) -> SpanColumn:
    """Decode the labels of a column into spans.

    Args:
        table: The tokens of a file.
        column: The name of the column.
        scheme: The representation of the labels, or "auto" to detect it.
        repair: Read invalid labels leniently (and count them) instead of refusing them.
        keep_types: The types of the spans to keep.
    """
    labels = table.columns[column]
    reader = _reader(table, column, labels)
    offsets = table.sentence_offsets
    if scheme.lower() == AUTO:
        ids = labels.ids.astype(np.int32)
        scheme = detect_scheme_of_ids(reader, ids, offsets)
    rules = get_scheme(scheme)
    invalid, (starts, ends, type_ids) = _read(reader, labels.ids, offsets, rules)
    if len(invalid) and not repair:
        ids = labels.ids.astype(np.int32)
        detected = detect_scheme_of_ids(reader, ids, offsets)
        message = Errors.LP113 if detected == rules.name else Errors.LP112
        raise table.error_at(
            message,
            column,
            invalid[0],
            scheme=rules.name,
            count=len(invalid),
            detected=detected,
        )
    if keep_types is not None:
        kept = np.isin(reader.types, list(keep_types))[type_ids]
        starts, ends, type_ids = starts[kept], ends[kept], type_ids[kept]
    return SpanColumn(
        types=reader.types,
        starts=starts,
        ends=ends,
        type_ids=type_ids,
        offsets=np.searchsorted(starts, offsets),
        scheme=rules.name,
        repaired=len(invalid),
    )


def _read(
    reader: LabelReader,
    ids: NDArray[np.integer],
    offsets: NDArray[np.int64],
    rules: Scheme,
) -> tuple[NDArray[np.int64], Chunks]:
    """Yield the positions of invalid labels and the chunks, in blocks of sentences."""
    invalid, chunks = [], []
    kind = np.int16 if len(reader.types) < _FEW else np.int32
    first = 0
    while first < len(offsets) - 1:
        start = int(offsets[first])
        last = int(np.searchsorted(offsets, start + _TOKENS))
        last = min(max(last, first + 1), len(offsets) - 1)
        part = ids[start : offsets[last]].astype(np.int32)
        within = offsets[first : last + 1] - start
        invalid.append(changed_by_repair(reader, part, within, rules) + start)
        starts, ends, types = reader.chunks(part, within)
        types = types.astype(kind)
        chunks.append((starts + np.int32(start), ends + np.int32(start), types))
        first = last
    joined = [np.concatenate(arrays) for arrays in zip(*chunks, strict=True)]
    return np.concatenate(invalid), (joined[0], joined[1], joined[2])


def all_label_spans(
    table: Table,
    *,
    chunk_scheme: str = "IOB2",
    ent_scheme: str = "IOB2",
    repair: bool = False,
    keep_types: Sequence[str] | None = None,
) -> dict[str, SpanColumn]:
    """Decode the columns `chunk` and `ent` if the table has them."""
    schemes = {"chunk": chunk_scheme, "ent": ent_scheme}
    return {
        column: label_spans(
            table, column, scheme=scheme, repair=repair, keep_types=keep_types
        )
        for column, scheme in schemes.items()
        if column in table.columns
    }


def _reader(table: Table, column: str, labels: Column) -> LabelReader:
    for label in labels.strings:
        try:
            split_label(label)
        except ValueError:
            columns = list(table.columns)
            raise table.error_of(Errors.LP111, column, label, columns=columns) from None
    return LabelReader(labels.strings)
