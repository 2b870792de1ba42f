"""The n best label sequences of Docs, out of those of their sentences."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..learners.base import Prepared
from ..learners.chain import ChainLearner
from .coder import Coder
from .extensions import Analysis
from .prediction import Ids


class Sequences(NamedTuple):
    """Label sequences, best first: labels [k, tokens] and scores [k]."""

    labels: Ids
    scores: NDArray[np.float64]


def best_sequences(learner: ChainLearner, batch: Prepared, k: int) -> list[Sequences]:
    """Return the k best label sequences of each Doc."""
    if not batch.n_tokens:
        return [join_sequences([], k) for _ in batch.per_doc]
    labels, scores, counts = learner.n_best(batch, k)
    found = split_sequences(labels, scores, counts, batch.bounds)
    return join_docs(found, batch.per_doc, k)


def list_analyses(
    coder: Coder, batch: Prepared, sequences: Sequence[Sequences], temperature: float
) -> list[list[Analysis]]:
    """Return the sequences of each Doc as annotation, with their shares of the list.

    All are decoded at once: one by one, that took longer than the search.
    """
    sizes = [len(found.scores) for found in sequences]
    tokens = np.repeat(np.diff(batch.docs), sizes)
    edges = np.concatenate([[0], np.cumsum(tokens)]).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(batch.per_doc)])
    before = np.cumsum(sizes) - sizes
    starts = []
    for number, (k, e) in enumerate(zip(sizes, before.tolist(), strict=True)):
        own = batch.bounds[first[number] : first[number + 1]] - batch.docs[number]
        starts.append(np.tile(own, k) + np.repeat(edges[e : e + k], len(own)))
    bounds = np.concatenate([*starts, edges[-1:]])
    labels = [found.labels.ravel() for found in sequences]
    flat = np.concatenate([np.zeros(0, dtype=np.int32), *labels])
    annotations = iter(coder.annotations(flat, bounds, edges))
    all_shares = _shares(sequences, temperature)
    return [
        [
            Analysis(next(annotations), share, score)
            for share, score in zip(shares, found.scores.tolist(), strict=True)
        ]
        for found, shares in zip(sequences, all_shares, strict=True)
    ]


def _shares(sequences: Sequence[Sequences], temperature: float) -> list[list[float]]:
    """Return the softmax of the scores of each list; lists of one length together."""
    sizes = np.array([len(found.scores) for found in sequences], dtype=np.int64)
    result: list[list[float]] = [[] for _ in sequences]
    for size in set(sizes.tolist()) - {0}:
        places = np.flatnonzero(sizes == size).tolist()
        table = np.stack([sequences[i].scores for i in places]) / temperature
        for i, shares in zip(places, softmax(table).tolist(), strict=True):
            result[i] = shares
    return result


def log_probabilities(
    learner: ChainLearner, batch: Prepared, labels: Ids, temperature: float
) -> NDArray[np.float64]:
    """Return the log probabilities of k labellings [k, tokens] of the one Doc of a
    batch."""
    k, n = labels.shape
    if not n:
        return np.zeros(k)
    starts = [batch.bounds[:-1] + i * n for i in range(k)]
    allowed, scores = batch.allowed, batch.external_scores
    tokens = np.tile(np.arange(n), k)
    repeated = Prepared(
        attributes=batch.attributes.take(tokens),
        docs=np.arange(k + 1, dtype=np.int64) * n,
        bounds=np.concatenate([*starts, np.array([k * n], dtype=np.int64)]),
        per_doc=np.repeat(batch.per_doc, k),
        allowed=None if allowed is None else np.tile(allowed, (k, 1)),
        external_scores=None if scores is None else np.tile(scores, (k, 1)),
        values=batch.values and batch.values.take(tokens),
        recall_constant=batch.recall_constant,
    )
    found = learner.log_scores(repeated, labels.ravel(), temperature)
    return found.reshape(k, -1).sum(axis=1)


def split_sequences(
    labels: Ids, scores: NDArray[np.float32], counts: Ids, bounds: NDArray[np.int64]
) -> list[Sequences]:
    """The n best of each sentence, out of the flat arrays of the kernel."""
    found = []
    token = path = 0
    values = scores.astype(np.float64)
    for count, n in zip(counts.tolist(), np.diff(bounds).tolist(), strict=True):
        tokens = labels[token : token + count * n].reshape(count, n)
        found.append(Sequences(tokens, values[path : path + count]))
        token += count * n
        path += count
    return found


def join_docs(
    sentences: Sequence[Sequences], per_doc: NDArray[np.int64], k: int
) -> list[Sequences]:
    """The k best of each Doc, out of those of its sentences."""
    ends = np.cumsum(per_doc).tolist()
    return [
        join_sequences(sentences[end - n : end], k)
        for n, end in zip(per_doc.tolist(), ends, strict=True)
    ]


def join_sequences(sentences: Sequence[Sequences], k: int) -> Sequences:
    """The k best of a Doc, exactly: sentences are independent of each other, so the
    k best of the first few need no more than the k best of each."""
    if len(sentences) == 1:
        return Sequences(sentences[0].labels[:k], sentences[0].scores[:k])
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
    """Shares of scores, along the last axis."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)
