"""The predictions of a classifier: scores, best chunkings, contributions of tokens.

All of them read frozen weights, so any number of threads may predict at once.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...kernels.chains import Question
from ...learners.base import Batch, Learner, Offsets, Prepared, by_token

Floats = NDArray[np.float64]
# Scores [views, sentences] and labels [views, tokens].
ByView = tuple[Floats, NDArray[np.int32]]


@dataclass(frozen=True)
class SentenceScores:
    """The predictions of a classifier for a batch.

    Args:
        scores: The score of each sentence, above 0 for a positive.
        by_view: [views, sentences], which add up to the scores.
        labels: [views, tokens], numbers of the labels of the best chunking (see
            LatentClassifier.inventories).
        bounds: The first token of each sentence, and the end.
        per_doc: The number of sentences of each Doc.
    """

    scores: Floats
    by_view: Floats
    labels: NDArray[np.int32]
    bounds: Offsets
    per_doc: Offsets


class SentenceInference(Learner):
    """The prediction methods of LatentClassifier."""

    def _question(self, batch: Prepared) -> Question:
        return Question(self.space, batch.attributes, batch.bounds, values=batch.values)

    def _predict_live(self, batch: Prepared) -> ByView | None:
        """Predict from the rows in training, where freezing them would cost more."""
        raise NotImplementedError

    def predict(self, batch: Batch) -> SentenceScores:
        """Return scores and best chunkings of the sentences of a batch."""
        return self.best(self.read(batch))

    def best(self, batch: Prepared) -> SentenceScores:
        """Return scores and best chunkings of sentences that `read` gave."""
        by_view, labels = self._predict_live(batch) or self._predict_frozen(batch)
        scores = by_view.sum(axis=0)
        return SentenceScores(scores, by_view, labels, batch.bounds, batch.per_doc)

    def _predict_frozen(self, batch: Prepared) -> ByView:
        frozen = self.freeze()
        found = batch.ask(lambda part: frozen.predict(self._question(part)))
        by_view = np.concatenate([answer.value[0] for answer in found], axis=1)
        labels = np.concatenate(
            [answer.value[1][:, answer.tokens] for answer in found], axis=1
        )
        return by_view, labels

    def contributions(
        self, batch: Prepared, labels: NDArray[np.int32]
    ) -> NDArray[np.float32]:
        """Return the share of each token in its sentence's score, over all views."""
        labels = np.ascontiguousarray(labels, dtype=np.int32)
        frozen = self.freeze()
        return by_token(
            batch.ask(lambda part: frozen.contributions(self._question(part), labels))
        )
