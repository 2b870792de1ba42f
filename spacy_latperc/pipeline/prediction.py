"""The predictions of a component around a chain, and what is written of them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .extensions import Analysis

Ids = NDArray[np.int32]
Mask = NDArray[np.bool_]
Scores = NDArray[np.float32]
LogScores = NDArray[np.float64]
Masks = dict[int, Mask]  # by token


class Prediction(NamedTuple):
    """The label ids of a batch of Docs.

    Attributes:
        labels: Label ids of all tokens.
        docs: The first token of each Doc, and the end.
        sentences: The first token of each sentence, and the end.
        scores: The scores of answers above the threshold, if requested.
        analyses: The n best annotations of each Doc, if requested.
        extra: The columns that the layer wanted of the tokens.
        all_blank: True if these were 0 throughout: a layer that read its own annotation
            need not ask each Doc whether it has some. Nothing else comes between
            reading and writing: `pipe` and `__call__` of spaCy call `set_annotations`
            straight after `predict`.
        features: Those of the sentences, if the component has some, [sentences,
            columns].
    """

    labels: Ids
    docs: NDArray[np.int64]
    sentences: NDArray[np.int64]
    scores: Scores | None = None
    analyses: list[list[Analysis]] | None = None
    extra: NDArray[np.uint64] | None = None
    all_blank: bool = False
    features: NDArray[np.float32] | None = None


class Found(NamedTuple):
    """Spans to be written, in tokens of a batch."""

    starts: Ids
    ends: Ids
    labels: NDArray[np.uint64]
