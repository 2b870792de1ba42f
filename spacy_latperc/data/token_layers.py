"""The annotation of tokens as codes that `Doc.from_array` can take, block by block."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import ENT_IOB, ENT_TYPE, LEMMA, POS, SENT_START, TAG
from spacy.parts_of_speech import IDS as POS_IDS
from spacy.vocab import Vocab

from ..errors import Errors
from .label_spans import SpanColumn
from .table import Table

ATTRIBUTES = {"tag": TAG, "pos": POS, "lemma": LEMMA}
UNSET = ("", "_")
_MISSING, _INSIDE, _OUTSIDE, _BEGIN = 0, 1, 2, 3
_NO_SENTENCE_START, _A_SENTENCE_START = 2**64 - 1, 1


@dataclass(frozen=True, eq=False)
class Layer:
    """One attribute: a code per token, and what each code stands for."""

    attribute: int
    values: NDArray[np.uint64]
    codes: NDArray[np.integer]


def string_layer(vocab: Vocab, table: Table, column: str) -> Layer:
    """The layer of a column of tags, parts of speech or lemmas."""
    strings = table.columns[column].strings
    if column == "pos":
        _check_parts_of_speech(table)
    values = [0 if x in UNSET else vocab.strings.add(x) for x in strings]
    return Layer(
        ATTRIBUTES[column],
        np.array(values, dtype=np.uint64),
        table.columns[column].ids,
    )


def _check_parts_of_speech(table: Table) -> None:
    for string in table.columns["pos"].strings:
        if string not in UNSET and string not in POS_IDS:
            line = table.line_of("pos", string)
            raise ValueError(
                Errors.LP116.format(path=table.path, line=line, string=string)
            )


def entity_layers(
    vocab: Vocab,
    table: Table,
    entities: SpanColumn,
    missing: NDArray[np.int64] | None = None,
) -> list[Layer]:
    """The layers that make `doc.ents`; missing tokens are not annotated."""
    change = np.zeros(table.n_tokens + 1, dtype=np.int32)
    change[entities.starts] += entities.type_ids + 1
    change[entities.ends] -= entities.type_ids + 1
    types = np.cumsum(change[:-1], dtype=np.int32)
    iob = np.where(types > 0, _INSIDE, _OUTSIDE).astype(np.uint8)
    iob[entities.starts] = _BEGIN
    if missing is not None:
        iob[missing] = _MISSING
    names = [0, *(vocab.strings.add(type_) for type_ in entities.types)]
    return [
        Layer(ENT_IOB, np.arange(4, dtype=np.uint64), iob),
        Layer(ENT_TYPE, np.array(names, dtype=np.uint64), types),
    ]


def sentence_layer(table: Table) -> Layer:
    """The layer of sentence starts."""
    starts = np.zeros(table.n_tokens, dtype=np.uint8)
    starts[table.sentence_offsets[:-1]] = 1
    values = np.array([_NO_SENTENCE_START, _A_SENTENCE_START], dtype=np.uint64)
    return Layer(SENT_START, values, starts)


def block_values(layers: Sequence[Layer], first: int, end: int) -> NDArray[np.uint64]:
    """The attributes of the tokens from first to end: [tokens, layers]."""
    values = np.empty((end - first, len(layers)), dtype=np.uint64)
    for column, layer in enumerate(layers):
        values[:, column] = layer.values[layer.codes[first:end]]
    return values
