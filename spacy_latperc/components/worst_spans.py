"""The spans of a sentence that cost most: without them it would be better.

What a span costs is found by leaving it out and scoring what is left anew, so that the
words around it become neighbours. (Leaping over it in the lattice keeps their n-grams
as they are, and finds a wrong token hardly more often than chance.)
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..learners.classifier import LatentClassifier
from ..model import Batch

# Longer sentences are taken in pieces: the effort grows with the square.
LONGEST_PIECE = 60
_TOKENS_AT_ONCE = 100_000
_SENTENCE_START = 1  # column of a batch

Costs = NDArray[np.float64]


def removal_gains(
    learner: LatentClassifier,
    batch: Batch,
    bounds: NDArray[np.int64],
    sentences: Sequence[int],
    *,
    longest: int,
) -> dict[int, Costs]:
    """How much the score grows without the l + 1 tokens from i on: [i, l], for each of
    these sentences; -inf for spans past its end, or that are all of it."""
    gains = {
        s: np.full((bounds[s + 1] - bounds[s], longest), -np.inf) for s in sentences
    }
    pieces = [
        (s, first, min(first + LONGEST_PIECE, int(bounds[s + 1])))
        for s in sentences
        for first in range(int(bounds[s]), int(bounds[s + 1]), LONGEST_PIECE)
    ]
    for some in _portions(pieces, longest):
        columns: list[NDArray[np.uint64]] = []
        lengths: list[int] = []
        places: list[tuple[int, int, int]] = []  # sentence, first token, length
        for s, first, end in some:
            values = batch.values[first:end]
            n, at = len(values), first - int(bounds[s])
            for length in range(min(longest, n - 1) + 1):
                columns.append(_without(values, length))
                spans = n - length + 1 if length else 1
                lengths += [n - length] * spans
                places += [(s, at + i, length) for i in range(spans)]
        scores = _scores(learner, columns, lengths, batch)
        whole = 0.0
        for (s, i, length), score in zip(places, scores.tolist(), strict=True):
            if not length:
                whole = score
            else:
                gains[s][i, length - 1] = score - whole
    return gains


def _without(values: NDArray[np.uint64], length: int) -> NDArray[np.uint64]:
    """All that is left of a sentence without each span of a length, in a row."""
    if not length:
        return values
    left = np.arange(len(values) - length)
    starts = np.arange(len(values) - length + 1)
    return values[(left + length * (left >= starts[:, None])).reshape(-1)]


def _scores(
    learner: LatentClassifier,
    columns: list[NDArray[np.uint64]],
    lengths: list[int],
    batch: Batch,
) -> NDArray[np.float64]:
    """Of sentences in a row, each a Doc of its own."""
    docs = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=docs[1:])
    values = np.concatenate(columns)
    values[:, _SENTENCE_START] = 0
    return learner.predict(values, docs, batch.lookup).scores


def _portions(
    pieces: Sequence[tuple[int, int, int]], longest: int
) -> Iterator[list[tuple[int, int, int]]]:
    """Pieces whose variants have some 100,000 tokens together."""
    portion: list[tuple[int, int, int]] = []
    tokens = 0
    for piece in pieces:
        portion.append(piece)
        tokens += longest * (piece[2] - piece[1]) ** 2
        if tokens >= _TOKENS_AT_ONCE:
            yield portion
            portion, tokens = [], 0
    if portion:
        yield portion


def worst_spans(costs: Costs, most: int) -> list[tuple[int, int, float]]:
    """The spans that cost most, in order, none of them over another.

    costs: [tokens, lengths] of a sentence.
    """
    found: list[tuple[int, int, float]] = []
    free = np.ones(len(costs), dtype=bool)
    for cell in np.argsort(-costs, axis=None, kind="stable").tolist():
        start, length = divmod(cell, costs.shape[1])
        cost, end = float(costs[start, length]), start + length + 1
        if cost <= 0 or len(found) == most:
            break
        if free[start:end].all():
            free[start:end] = False
            found.append((start, end, cost))
    return sorted(found)
