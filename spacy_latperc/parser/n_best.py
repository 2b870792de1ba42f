"""The n best trees of Docs, out of those of their texts."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from spacy.strings import StringStore

from ..learners.base import Prepared
from ..pipeline.best_sequences import Sequences, join_docs, softmax, split_sequences
from ..pipeline.extensions import Analysis
from .trees import decode
from .words import Ids

# A head and a relation are one number, so that trees are joined like labels.
_BITS = 16
Restore = Callable[[NDArray[np.int64], NDArray[np.uint64]], None]


def best_trees(
    batch: Prepared,
    heads: Ids,
    relations: Ids,
    scores: NDArray[np.float32],
    counts: Ids,
    k: int,
) -> list[Sequences]:
    """The k best trees of each Doc.

    Args:
        batch: The Docs.
        heads: Of the trees of the first text, of the second, and so on, numbered in
            their text.
        relations: Likewise; -1 at roots.
        scores: Of the trees.
        counts: How many there are of each text.
        k: How many are wanted.
    """
    lengths = np.diff(batch.bounds)
    first_of_doc = np.repeat(batch.docs[:-1], batch.per_doc)
    # Of each tree, one after the other: where its text begins in its Doc.
    offset = np.repeat(batch.bounds[:-1] - first_of_doc, counts * lengths)
    packed = (heads + offset) << _BITS | (relations + 1)
    texts = split_sequences(packed, scores, counts, batch.bounds)
    return join_docs(texts, batch.per_doc, k)


def list_trees(
    trees: Sequences,
    labels: Sequence[str],
    strings: StringStore,
    *,
    temperature: float,
    restore: Restore | None,
) -> list[Analysis]:
    """The trees of a Doc as annotation, the most probable first.

    Args:
        trees: The result of `best_trees`.
        labels: The relations by their number.
        strings: The strings of the vocabulary.
        temperature: The temperature of the scores.
        restore: Writes annotation that was set on the Doc into heads and relations.
    """
    listed: dict[tuple, Analysis] = {}
    shares = softmax(trees.scores / temperature).tolist()
    for row, share, score in zip(
        trees.labels.astype(np.int64), shares, trees.scores.tolist(), strict=True
    ):
        numbers = (row & ((1 << _BITS) - 1)) - 1
        whole = np.array([0, len(row)], dtype=np.int64)
        heads, hashes = decode(row >> _BITS, numbers, whole, labels, strings)
        if restore is not None:
            restore(heads, hashes)
        names = [strings[x] for x in hashes.tolist()]
        annotation = list(zip(heads.tolist(), names, strict=True))
        # Two trees may differ only in where a word was lifted to.
        same = listed.get(tuple(annotation))
        if same is not None:
            share += same.probability
            score = same.score
        listed[tuple(annotation)] = Analysis(annotation, share, score)
    return sorted(listed.values(), key=lambda tree: -tree.probability)
