"""The n best label sequences of a Doc, out of those of its sentences."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Sequences(NamedTuple):
    """Label sequences, best first: labels [k, tokens] and scores [k]."""

    labels: NDArray[np.int32]
    scores: NDArray[np.float64]


def split_sequences(
    labels: NDArray[np.int32],
    scores: NDArray[np.float32],
    counts: NDArray[np.int32],
    bounds: NDArray[np.int64],
) -> list[Sequences]:
    """The n best of each sentence, out of the flat arrays of the kernel."""
    found = []
    token = path = 0
    for count, n in zip(counts.tolist(), np.diff(bounds).tolist(), strict=True):
        tokens = labels[token : token + count * n].reshape(count, n)
        found.append(Sequences(tokens, scores[path : path + count].astype(np.float64)))
        token += count * n
        path += count
    return found


def join_sequences(sentences: list[Sequences], k: int) -> Sequences:
    """The k best of a Doc, exactly: sentences are independent of each other, so the
    k best of the first few need no more than the k best of each."""
    total = np.zeros(1)
    steps: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for _, scores in sentences:
        sums = (total[:, None] + scores[None, :]).ravel()
        # Ties: the earlier of the sequences before, then of this sentence.
        best = np.argsort(-sums, kind="stable")[:k]
        steps.append(np.divmod(best, len(scores)))
        total = sums[best]
    parts = [np.zeros((len(total), 0), dtype=np.int32)]
    at = np.arange(len(total))
    for sentence, (before, here) in zip(sentences[::-1], steps[::-1], strict=True):
        parts.append(sentence.labels[here[at]])
        at = before[at]
    return Sequences(np.concatenate(parts[::-1], axis=1), total)


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()
