"""What a classifier of sentences found of a batch of Docs."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc

from .classifier import Prediction
from .classifier.removal import Costs


class Verdict(NamedTuple):
    """What was found of a batch of Docs.

    docs: their first tokens, and the end. found: scores and chunkings of sentences.
    contributions: of tokens to the scores. costs: of the spans of ungrammatical
    sentences, by their numbers. Both where they are wanted.
    """

    docs: NDArray[np.int64]
    found: Prediction
    contributions: NDArray[np.float32] | None = None
    costs: dict[int, Costs] | None = None


def slices(docs: Sequence[Doc], scores: Verdict) -> Iterator[tuple[Doc, slice, slice]]:
    """Each Doc with its tokens and sentences in the batch."""
    at = scores.docs.tolist()
    first = 0
    for doc, start, end, n in zip(
        docs, at[:-1], at[1:], scores.found.per_doc.tolist(), strict=True
    ):
        yield doc, slice(start, end), slice(first, first + n)
        first += n
