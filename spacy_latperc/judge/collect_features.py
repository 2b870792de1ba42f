"""Reads the features of sentences that latperc_errors wrote to Docs."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc

from ..errors import Errors
from ..pipeline.doc_reader import describe
from .error_coder import FEATURES, STARTS
from .sentence_features import COLUMNS, Bounds, Floats


class Collected(NamedTuple):
    """The features and sentences of some Docs.

    Attributes:
        table: The features of all sentences, [sentences, COLUMNS].
        docs: The first token of each Doc, and the end.
        bounds: The first token of each sentence, and the end.
        per_doc: The number of sentences in each Doc.
    """

    table: Floats
    docs: Bounds
    bounds: Bounds
    per_doc: NDArray[np.int64]


def collect(docs: Sequence[Doc], key: str, name: str) -> Collected:
    """Read the features of the sentences of Docs."""
    starts, tables = [], [np.zeros((0, len(COLUMNS)))]
    at, per_doc = 0, []
    for doc in docs:
        group = doc.spans.data.get(key)
        attrs: Mapping[str, Any] = {} if group is None else group.attrs
        first: Any = attrs.get(STARTS) if len(doc) else np.zeros(0, dtype=np.int64)
        if not _are_starts(first, len(doc)):
            raise _missing(name, key, doc)
        if len(first):
            table = attrs.get(FEATURES)
            if not _is_table(table, (len(first), len(COLUMNS))):
                raise _missing(name, key, doc)
            tables.append(table)
        starts += (first + at).tolist()
        per_doc.append(len(first))
        at += len(doc)
    return Collected(
        np.concatenate(tables),
        np.cumsum([0, *map(len, docs)], dtype=np.int64),
        np.array([*starts, at], dtype=np.int64),
        np.array(per_doc, dtype=np.int64),
    )


def _are_starts(starts: object, n: int) -> TypeGuard[NDArray[np.int64]]:
    """True for first tokens of the sentences of a Doc. Anyone may have written them."""
    if not isinstance(starts, np.ndarray) or starts.ndim != 1:
        return False
    if starts.dtype.kind not in "iu" or not len(starts):
        return starts.dtype.kind in "iu"  # a Doc of white space has no sentence
    if starts[0] != 0 or starts[-1] >= n:
        return False
    return len(starts) == 1 or bool((starts[1:] > starts[:-1]).all())


def _is_table(found: object, shape: tuple[int, ...]) -> TypeGuard[Floats]:
    return (
        isinstance(found, np.ndarray)
        and found.shape == shape
        and found.dtype.kind in "fiu"
        and bool(np.isfinite(found).all())
    )


def _missing(name: str, key: str, doc: Doc) -> ValueError:
    return ValueError(Errors.LP782.format(name=name, key=key, doc=describe(doc)))
