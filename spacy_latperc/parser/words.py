"""Docs as arrays for a parser: attributes and gold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int32]

UNKNOWN = -1
# Columns of gold: the head (in the Doc; a root is its own), the relation, and the start
# of a sentence; each may be UNKNOWN.
HEAD, RELATION, START = range(3)


@dataclass(frozen=True, eq=False)
class Words:
    """A Doc as arrays, which training keeps.

    Attributes:
        attrs: The attributes of the tokens.
        starts: 1 for tokens that begin a sentence, -1 for others, 0 for unknown.
    """

    attrs: NDArray[np.uint64]
    starts: NDArray[np.int8]
    n_sentences = 1  # losses are reported by Doc

    @property
    def n_tokens(self) -> int:
        """The number of tokens of the Doc."""
        return len(self.attrs)

    @property
    def nbytes(self) -> int:
        """The memory of the arrays in bytes."""
        return self.attrs.nbytes + self.starts.nbytes


def gold_sentences(
    blocks: Sequence[Words], gold: Ids
) -> tuple[NDArray[np.int64], Ids, set[int]]:
    """Find the sentences of a batch that have some gold.

    Args:
        blocks: The Docs.
        gold: Head, relation and sentence start of each token.

    Returns:
        First token, end, end of the text, and Doc of each; heads numbered in their
        sentence; and Docs whose own sentence boundaries contradict gold.
    """
    lengths = np.array([block.n_tokens for block in blocks], dtype=np.int64)
    ends = np.cumsum(lengths)
    n = int(ends[-1])
    starts = np.concatenate([block.starts for block in blocks])
    first_of_doc = ends - lengths
    is_text = starts == 1
    is_text[first_of_doc[lengths > 0]] = True
    is_first = gold[:, START] == 1
    is_first[first_of_doc[lengths > 0]] = True
    firsts = np.flatnonzero(is_first)
    stops = np.append(firsts[1:], n)
    texts = np.append(np.flatnonzero(is_text), n)
    visible = texts[np.searchsorted(texts, firsts, side="right")]
    docs = np.searchsorted(ends, firsts, side="right")
    doc_of = np.repeat(np.arange(len(blocks)), lengths)
    positions = np.repeat(firsts, stops - firsts)
    heads = gold[:, HEAD].astype(np.int64)
    known = heads >= 0
    heads = np.where(known, heads + first_of_doc[doc_of] - positions, UNKNOWN)
    anything = np.logical_or.reduceat(known, firsts) if n else np.zeros(0, dtype=bool)
    # A text must not end inside a sentence or continue without a sentence start.
    goes_on = stops < visible
    forbidden = goes_on & (starts[np.minimum(stops, n - 1)] == -1) if n else goes_on
    contradicted = (stops > visible) | forbidden
    table = np.stack([firsts, stops, visible, docs], axis=1)
    lost = {int(doc) for doc in docs[anything & contradicted]}
    return table[anything & ~contradicted], heads.astype(np.int32), lost
