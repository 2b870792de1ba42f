"""How sure a component is: scores and thresholds of its answers, the n best."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..calibration import Calibration
from ..errors import Errors
from ..errors.check import check_choice, check_count, check_number
from ..learners.base import Prepared
from ..schemes.decode import Chunks
from .coder import Coder
from .extensions import Analysis, register_extensions
from .parts import Context, Ids, Prediction
from .settings import ConfidenceSettings

SHARE_SCORES = ("marginal", "agreement")  # between 0 and 1
SHARES = ("list", "all")


class Sequences(NamedTuple):
    """Label sequences, best first: labels [k, tokens] and scores [k]."""

    labels: Ids
    scores: NDArray[np.float64]


class Confidence:
    """What a component says about how sure it is."""

    def __init__(self, context: Context, coder: Coder, settings: ConfidenceSettings):
        n_best, scores = settings.n_best, settings.scores
        threshold, name = settings.threshold, context.name
        check_count("n_best", n_best, advice="1 is the best analysis alone.")
        if n_best > 1:
            coder.refuse("n_best")
        if scores == "margin":
            coder.refuse("scores = margin")
        check_choice("scores", scores, coder.score_kinds)
        highest = 1.0 if scores in SHARE_SCORES else math.inf
        check_number("threshold", threshold, high=highest)
        if threshold and scores == "none":
            raise ValueError(Errors.LP079.format(name=name, threshold=threshold))
        self.context = context
        self.coder = coder
        self.n_best = n_best
        self.scores = scores
        self.threshold = threshold
        if scores != "none" or n_best > 1:
            register_extensions()

    @property
    def calibration(self) -> Calibration:
        """That of the component."""
        return Calibration(**self.context.cfg.get("calibration", {}))

    @property
    def certain(self) -> float:
        """The score of what is known beforehand."""
        return 1.0 if self.scores in SHARE_SCORES else math.inf

    def add(self, batch: Prepared, prediction: Prediction) -> Prediction:
        """What the settings want to know about a prediction."""
        if self.n_best > 1:
            found = self.sequences(batch, self.n_best)
            prediction = prediction._replace(analyses=self.listed(batch, found))
        if self.scores == "none":
            if prediction.scores is None:
                return prediction
            return prediction._replace(scores=None)
        return self._scored(batch, prediction)

    # Scores ---------------------------------------------------------------------------

    def _scored(self, batch: Prepared, prediction: Prediction) -> Prediction:
        labels = prediction.labels
        answers = self.coder.answers(labels, prediction.sentences)
        if not len(answers[0]):
            return prediction._replace(scores=np.zeros(0, dtype=np.float32))
        scores = self._answer_scores(batch, prediction, answers)
        if self.threshold > 0:
            low = scores < self.threshold
            edges = np.zeros(len(labels) + 1, dtype=np.int64)
            edges[answers[0][low]] += 1
            edges[answers[1][low]] -= 1
            labels = labels.copy()
            self.coder.withdraw(labels, np.cumsum(edges)[:-1] > 0)
            scores = scores[~low]
        return prediction._replace(labels=labels, scores=scores)

    def _answer_scores(
        self, batch: Prepared, prediction: Prediction, answers: Chunks
    ) -> NDArray[np.float32]:
        """The score of each answer, of the kind that is wanted."""
        if self.scores == "agreement":
            assert prediction.scores is not None
            return prediction.scores
        if self.scores == "marginal":
            calibration = self.calibration
            found = self.coder.probabilities(batch, answers, calibration.temperature)
            return calibration(found).astype(np.float32)
        best = self.context.learner.max_marginals(batch)
        labels = prediction.labels
        chosen = best[np.arange(len(labels)), labels]
        return self.coder.margins(chosen[:, None] - best, prediction, answers)

    # n best ---------------------------------------------------------------------------

    def sequences(self, batch: Prepared, k: int) -> list[Sequences]:
        """The k best label sequences of each Doc."""
        if not batch.n_tokens:
            return [join_sequences([], k) for _ in batch.per_doc]
        labels, scores, counts = self.context.learner.n_best(batch, k)
        found = split_sequences(labels, scores, counts, batch.bounds)
        return join_docs(found, batch.per_doc, k)

    def listed(
        self, batch: Prepared, sequences: Sequence[Sequences]
    ) -> list[list[Analysis]]:
        """The sequences of each Doc as annotation, with their shares of the list.

        All are decoded at once: one by one, that took longer than finding them.
        """
        sizes = [len(found.scores) for found in sequences]
        tokens = np.repeat(np.diff(batch.docs), sizes)
        edges = np.zeros(len(tokens) + 1, dtype=np.int64)
        np.cumsum(tokens, out=edges[1:])
        first = np.zeros(len(sizes) + 1, dtype=np.int64)
        np.cumsum(batch.per_doc, out=first[1:])
        starts = [
            np.tile(batch.bounds[i:j] - at, k) + np.repeat(edges[e : e + k], j - i)
            for i, j, at, k, e in zip(
                first[:-1].tolist(),
                first[1:].tolist(),
                batch.docs[:-1].tolist(),
                sizes,
                (np.cumsum(sizes) - sizes).tolist(),
                strict=True,
            )
        ]
        bounds = np.concatenate([*starts, edges[-1:]])
        labels = [found.labels.ravel() for found in sequences]
        flat = np.concatenate([np.zeros(0, dtype=np.int32), *labels])
        annotations = iter(self.coder.annotations(flat, bounds, edges))
        return [
            [
                Analysis(next(annotations), share, score)
                for share, score in zip(shares, found.scores.tolist(), strict=True)
            ]
            for found, shares in zip(sequences, self._shares(sequences), strict=True)
        ]

    def _shares(self, sequences: Sequence[Sequences]) -> list[list[float]]:
        """Softmax of the scores of each list; lists of one length go together."""
        temperature = self.calibration.temperature
        sizes = np.array([len(found.scores) for found in sequences], dtype=np.int64)
        result: list[list[float]] = [[] for _ in sequences]
        for size in set(sizes.tolist()) - {0}:
            places = np.flatnonzero(sizes == size).tolist()
            table = np.stack([sequences[i].scores for i in places]) / temperature
            for i, shares in zip(places, softmax(table).tolist(), strict=True):
                result[i] = shares
        return result

    def log_shares(self, batch: Prepared, labels: Ids) -> NDArray[np.float64]:
        """Log probabilities of labellings of the one Doc of a batch: [k, tokens]."""
        k, n = labels.shape
        if not n:
            return np.zeros(k)
        starts = [batch.bounds[:-1] + i * n for i in range(k)]
        allowed, given = batch.allowed, batch.given
        repeated = Prepared(
            attributes=np.tile(batch.attrs, (k, 1)),
            docs=np.arange(k + 1, dtype=np.int64) * n,
            bounds=np.concatenate([*starts, np.array([k * n], dtype=np.int64)]),
            per_doc=np.repeat(batch.per_doc, k),
            allowed=None if allowed is None else np.tile(allowed, (k, 1)),
            given=None if given is None else np.tile(given, (k, 1)),
            values=batch.values and batch.values.take(np.tile(np.arange(n), k)),
        )
        found = self.context.learner.log_scores(
            repeated, labels.ravel(), self.calibration.temperature
        )
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
