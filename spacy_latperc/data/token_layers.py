"""The annotation of tokens as codes for `Doc.from_array`, in blocks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, ENT_IOB, ENT_TYPE, HEAD, LEMMA, MORPH, POS, SENT_START, TAG
from spacy.parts_of_speech import IDS as POS_IDS
from spacy.vocab import Vocab

from ..errors import Errors
from .label_spans import SpanColumn
from .table import NO_HEAD, UNSET, Table
from .tree_columns import attachment

ATTRIBUTES = {"tag": TAG, "pos": POS, "lemma": LEMMA, "morph": MORPH}
# The layers with labels to learn.
LABELS = (TAG, POS, MORPH, ENT_TYPE, DEP)
# spaCy's names for the relation of a root, and for an unknown relation.
ROOT, UNKNOWN_RELATION = "ROOT", "dep"
_MISSING, _INSIDE, _OUTSIDE, _BEGIN = 0, 1, 2, 3
_NO_SENTENCE_START, _A_SENTENCE_START = 2**64 - 1, 1


@dataclass(frozen=True, eq=False)
class Layer:
    """An attribute: a code per token, and the value of each code."""

    attribute: int
    values: NDArray[np.uint64]
    codes: NDArray[np.integer]


def string_layer(vocab: Vocab, table: Table, column: str) -> Layer:
    """The layer of a column of tags, parts of speech, lemmas or features."""
    strings = table.columns[column].strings
    if column == "pos":
        _check_parts_of_speech(table)
    if column == "morph" and not set(strings) <= set(UNSET):
        # "_" means no features if other words have some.
        add = vocab.morphology.add
        values = [add("" if x in UNSET else x) for x in strings]
    else:
        values = [0 if x in UNSET else vocab.strings.add(x) for x in strings]
    return Layer(
        ATTRIBUTES[column],
        np.array(values, dtype=np.uint64),
        table.columns[column].ids,
    )


def _check_parts_of_speech(table: Table) -> None:
    for string in table.columns["pos"].strings:
        if string not in UNSET and string not in POS_IDS:
            raise table.error_of(Errors.LP116, "pos", string)


def entity_layers(
    vocab: Vocab,
    table: Table,
    entities: SpanColumn,
    missing: NDArray[np.int64] | None = None,
) -> list[Layer]:
    """The layers of `doc.ents`; missing tokens are not annotated."""
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


def tree_layers(vocab: Vocab, table: Table) -> list[Layer]:
    """The layers of heads and relations. The relation of a root is ROOT."""
    assert table.heads is not None
    positions = np.arange(table.n_tokens)
    offsets, codes = np.unique(attachment(table) - positions, return_inverse=True)
    names = [ROOT, UNKNOWN_RELATION]
    relations = np.ones(table.n_tokens, dtype=np.int32)
    if "dep" in table.columns:
        dep = table.columns["dep"]
        names += dep.strings
        known = np.array([x not in UNSET for x in dep.strings])
        numbers = dep.ids.astype(np.int32)
        relations = np.where(known[numbers], numbers + 2, relations)
    relations[table.heads == positions] = 0
    values = np.array([0, *(vocab.strings.add(x) for x in names)], dtype=np.uint64)
    return [
        Layer(HEAD, offsets.astype(np.int64).view(np.uint64), codes),
        Layer(DEP, values, np.where(table.heads == NO_HEAD, 0, relations + 1)),
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
