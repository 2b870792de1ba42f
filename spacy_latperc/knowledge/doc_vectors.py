"""Vectors of the tokens of Docs, as arrays [tokens, width]."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import Errors
from ..features.values import LARGEST_VALUE, DenseColumn


def is_vectors(values: Any) -> bool:
    """Return True for an array of floats with a row for each token."""
    return (
        isinstance(values, np.ndarray) and values.ndim == 2 and values.dtype.kind == "f"
    )


def join_vectors(docs: Sequence[Any], values: Sequence[Any], name: str) -> DenseColumn:
    """Join the vectors of Docs into a column, and check them.

    Args:
        docs: The Docs, at least one of them not empty.
        values: An array for each Doc; those of empty Docs may have any form.
        name: The name of the attribute, for messages.
    """
    rows = []
    width = None
    for doc, array in zip(docs, values, strict=True):
        if not len(doc):
            continue
        if not is_vectors(array) or array.shape != (len(doc), width or array.shape[1]):
            found = f"an array of shape {np.shape(array)}"
            wanted = f"floats of shape {(len(doc), width or 'width')}"
            raise ValueError(
                Errors.LP757.format(
                    name=name, doc=text_of(doc), found=found, wanted=wanted
                )
            )
        width = array.shape[1]
        bad = np.argwhere(~(np.abs(array) <= LARGEST_VALUE))
        if len(bad):
            token, place = bad[0].tolist()
            where = f"token {token} of {text_of(doc)}"
            found = str(array[token, place])
            raise ValueError(Errors.LP750.format(name=name, found=found, place=where))
        rows.append(array)
    return DenseColumn.of(np.concatenate(rows))


def text_of(doc: Any) -> str:
    """Return the beginning of a Doc, for messages."""
    return repr(doc.text.strip()[:60])
