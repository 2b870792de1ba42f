"""Columns with partial annotation: "?" for any label, "A|B" for one of several.

Only certain chunks are decoded. If a chunk may continue in an open token, its labels
are stored one by one, as sets with one member.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from spacy.parts_of_speech import IDS as POS_IDS

from ..errors import Errors
from ..schemes import LabelInventory, Scheme, get_scheme, split_label
from ..schemes.decode import OUTSIDE
from .label_spans import AUTO, SpanColumn
from .table import Column, Table

ANYTHING = "?"
SEPARATOR = "|"
TAG_COLUMNS = ("tag", "pos")

Alternatives = list[tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class OpenTokens:
    """The tokens of a column without a certain label.

    Attributes:
        tokens: The positions of the tokens in the table, in order.
        sets: The allowed labels of each token; empty for any.
        scheme: The representation of the labels of spans.
    """

    tokens: NDArray[np.int64]
    sets: Alternatives
    scheme: str = ""


def read_partial(
    table: Table, schemes: Mapping[str, str], *, keep_types: Sequence[str] | None = None
) -> tuple[Table, dict[str, SpanColumn], dict[str, OpenTokens]]:
    """Split a table into certain tags, certain spans and open tokens."""
    columns = dict(table.columns)
    spans: dict[str, SpanColumn] = {}
    open_tokens: dict[str, OpenTokens] = {}
    for name in TAG_COLUMNS:
        if name in columns:
            columns[name], open_tokens[name] = _open_tags(table, name)
    for name, scheme in schemes.items():
        if name in columns:
            if scheme.lower() == AUTO:
                raise ValueError(Errors.LP127.format(path=table.path, column=name))
            spans[name], open_tokens[name] = _certain_spans(
                table, name, get_scheme(scheme), keep_types
            )
    return replace(table, columns=columns), spans, open_tokens


def _alternatives(table: Table, column: str) -> Alternatives:
    """The allowed labels of each string of a column, in order; none for "?"."""
    found = []
    for string in table.columns[column].strings:
        labels = () if string == ANYTHING else string.split(SEPARATOR)
        if "" in labels and string:
            raise table.error_of(Errors.LP125, column, string)
        found.append(tuple(dict.fromkeys(labels)))
    return found


def _open_tags(table: Table, column: str) -> tuple[Column, OpenTokens]:
    strings, ids = table.columns[column].strings, table.columns[column].ids
    alternatives = _alternatives(table, column)
    for string, labels in zip(strings, alternatives, strict=True):
        for label in labels if len(labels) > 1 and column == "pos" else ():
            if label not in POS_IDS:
                raise table.error_of(Errors.LP116, column, string, string=label)
    certain = [labels[0] if len(labels) == 1 else "" for labels in alternatives]
    is_open = np.array([len(labels) != 1 for labels in alternatives], dtype=bool)
    tokens = np.flatnonzero(is_open[ids])
    sets = [alternatives[i] for i in ids[tokens].tolist()]
    return Column(certain, ids), OpenTokens(tokens, sets)


def _certain_spans(
    table: Table, column: str, scheme: Scheme, keep_types: Sequence[str] | None
) -> tuple[SpanColumn, OpenTokens]:
    alternatives = _alternatives(table, column)
    _check_labels(table, column, alternatives, scheme)
    if keep_types is not None:
        kept = {"", *keep_types}
        alternatives = [
            tuple(dict.fromkeys(x if split_label(x)[1] in kept else OUTSIDE for x in y))
            for y in alternatives
        ]
    types = dict.fromkeys(split_label(x)[1] for y in alternatives for x in y)
    inventory = LabelInventory(scheme, [type_ for type_ in types if type_])
    masks = np.ones((len(alternatives), len(inventory)), dtype=bool)
    for mask, labels in zip(masks, alternatives, strict=True):
        if labels:
            mask[:] = False
            mask[[inventory.index[label] for label in labels]] = True
    ids, offsets = table.columns[column].ids, table.sentence_offsets
    _check_sequences(table, column, inventory, masks)
    # Tokens that may share a chunk form a group, which is a certain chunk when all
    # of its labels are certain.
    joined = inventory.transitions & ~inventory.boundary
    joined &= inventory.inside[:, None] & inventory.inside
    may_join = _possible(masks, joined)[ids[:-1], ids[1:]]
    begins = np.concatenate([[True], ~may_join])
    begins[offsets[:-1]] = True
    starts = np.flatnonzero(begins)
    ends = np.append(starts[1:], len(ids))
    single = np.array([len(labels) == 1 for labels in alternatives], dtype=bool)
    is_inside = single & ~masks[:, 0]
    certain = np.logical_and.reduceat(is_inside[ids], starts)
    outside = single & masks[:, 0]
    is_open = ~outside[ids] & ~np.repeat(certain, ends - starts)
    tokens = np.flatnonzero(is_open)
    label = masks.argmax(axis=1)[ids[starts[certain]]]
    firsts = starts[certain].astype(np.int32)
    spans = SpanColumn(
        types=inventory.types,
        starts=firsts,
        ends=ends[certain].astype(np.int32),
        type_ids=inventory.type_of[label],
        offsets=np.searchsorted(firsts, offsets),
        scheme=scheme.name,
        repaired=0,
    )
    sets = [alternatives[i] for i in ids[tokens].tolist()]
    return spans, OpenTokens(tokens, sets, scheme.name)


def _check_labels(
    table: Table, column: str, alternatives: Alternatives, scheme: Scheme
) -> None:
    """Check that labels belong to the representation."""
    strings = table.columns[column].strings
    for string, labels in zip(strings, alternatives, strict=True):
        for label in labels:
            try:
                letter, _ = split_label(label)
            except ValueError:
                letter = ""
            if letter != OUTSIDE and letter not in scheme.letters:
                raise table.error_of(
                    Errors.LP126,
                    column,
                    string,
                    label=label,
                    scheme=scheme.name,
                    letters=", ".join(scheme.letters),
                )


def _possible(masks: NDArray[np.bool_], pairs: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """True if two masks have a pair of labels that is among the pairs."""
    values = masks.astype(np.float32)
    return (values @ pairs.astype(np.float32) @ values.T) > 0


def _check_sequences(
    table: Table, column: str, inventory: LabelInventory, masks: NDArray[np.bool_]
) -> None:
    """Check that neighbouring labels are compatible."""
    ids, offsets = table.columns[column].ids, table.sentence_offsets
    wrong = np.zeros(len(ids) + 1, dtype=bool)
    wrong[1:-1] = ~_possible(masks, inventory.transitions)[ids[:-1], ids[1:]]
    wrong[offsets] = False
    firsts, lasts = offsets[:-1], offsets[1:] - 1
    wrong[firsts] |= ~np.any(masks & inventory.starts, axis=1)[ids[firsts]]
    wrong[lasts] |= ~np.any(masks & inventory.ends, axis=1)[ids[lasts]]
    if wrong.any():
        token = int(wrong.argmax())
        raise table.error_at(
            Errors.LP128,
            column,
            token,
            scheme=inventory.scheme.name,
            count=int(wrong.sum()),
        )
