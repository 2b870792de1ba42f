"""What a component around a chain predicts."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .extensions import Analysis

Ids = NDArray[np.int32]
Mask = NDArray[np.bool_]
Masks = dict[int, Mask]  # by token


class Prediction(NamedTuple):
    """Label ids of a batch, and where its Docs begin.

    Attributes:
        labels: Label ids of all tokens.
        docs: First tokens of the Docs, and the end.
        sentences: First tokens of the sentences, and the end.
        scores: Of each answer that is left, where they are wanted.
        analyses: The n best of each Doc, where they are wanted.
        extra: The columns that the layer wanted of the tokens.
        all_blank: True if these were 0 throughout: a layer that read its own annotation
            need not ask each Doc whether it has some. Nothing else comes between
            reading and writing: `pipe` and `__call__` of spaCy call `set_annotations`
            straight after `predict`.
        evidence: Of the sentences, [sentences, columns], by its kind, where there is
            some (judge/sentence_features.py).
    """

    labels: Ids
    docs: NDArray[np.int64]
    sentences: NDArray[np.int64]
    scores: NDArray[np.float32] | None = None
    analyses: list[list[Analysis]] | None = None
    extra: NDArray[np.uint64] | None = None
    all_blank: bool = False
    evidence: dict[str, NDArray[np.float32]] | None = None
