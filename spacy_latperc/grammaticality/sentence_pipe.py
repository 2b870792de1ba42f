"""Shared behaviour of components that score sentences and write categories."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.pipeline import Pipe
from spacy.tokens import Doc
from spacy.training import Example

from ..calibration import Calibration, fit_line, sigmoid
from ..errors import Errors
from ..pipeline.forwarded import saved_number
from .annotations import SentencePredictions, write_sentence_scores
from .scorer import truth


class HeldOutSentences:
    """Held-out sentences with their raw scores and their truth."""

    def __init__(self, pipe: Any, batches: Iterable[Sequence[Example]]):
        self.name = pipe.name
        self.pipe = pipe
        compared = [pipe.compare(batch) for batch in batches]
        self.margins = np.concatenate([np.zeros(0), *(m for m, _ in compared)])
        self.correct = np.concatenate([np.zeros(0, bool), *(x for _, x in compared)])
        self.gold = int(self.correct.sum())
        if not 0 < self.gold < len(self.correct):
            n, positives = len(self.correct), self.gold
            raise ValueError(
                Errors.LP461.format(name=self.name, n=n, positives=positives)
            )

    def probabilities(self, temperature: float) -> NDArray[np.float64]:
        """Return the probabilities of the sentences without a bias."""
        return sigmoid(self.margins / temperature)

    def fit(self) -> Calibration:
        """Fit a line from raw scores to log odds."""
        return fit_line(self.margins, self.correct)


OF_SENTENCES: dict[str, Callable[[Any], Any]] = {"min": np.min, "mean": np.mean}


class SentencePipe(Pipe):
    """A base of components that predict `SentencePredictions`.

    Subclasses have `name`, `labels` (the positive one first), `calibration`, and
    `settings` with `doc` and `threshold`.
    """

    settings: Any

    threshold = saved_number("settings", "The lowest probability of a good sentence.")

    def predict(self, docs: Iterable[Doc]) -> SentencePredictions:
        """Score the sentences of Docs, which are not changed."""
        raise NotImplementedError

    def probabilities(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert the raw scores of sentences to probabilities of being good."""
        line = self.calibration
        return sigmoid(margins / line.temperature + line.bias)

    def accepted(self, margins: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return a mask of the raw scores that reach the threshold."""
        return self.probabilities(margins) >= self.threshold

    def decisions(self, docs: Iterable[Doc]) -> NDArray[np.bool_]:
        """Return a mask of the sentences that reach the threshold."""
        return self.accepted(self.predict(docs).found.scores)

    def prefer(self, docs: Iterable[Doc]) -> int:
        """Choose the best of several versions of a text.

        Args:
            docs: The versions, annotated by the components before this one. They are
                not changed.

        Returns:
            The index of the Doc with the highest `doc._.preference`.
        """
        docs = list(docs)
        if not docs:
            raise ValueError(Errors.LP787.format(name=self.name))
        found = self.predict(docs)
        scores = found.found.scores if found.versions is None else found.versions
        sums = [float(scores[here].sum()) for _, _, here in found.by_doc(docs)]
        return int(np.argmax(sums))

    def classes(self, docs: Iterable[Doc]) -> NDArray[np.int8]:
        """Read the gold class of each Doc: 1, -1, or 0 if its categories give none."""
        truths = [truth(doc.cats) for doc in docs]
        known = [0 if real is None else 1 if real else -1 for real in truths]
        return np.array(known, dtype=np.int8)

    def hold_out(self, batches: Iterable[Sequence[Example]]) -> HeldOutSentences:
        """Score held-out examples to calibrate on."""
        return HeldOutSentences(self, batches)

    def compare(
        self, examples: Sequence[Example]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the raw scores of the Docs that have the categories, and their truth.

        The score of a Doc with several sentences is their lowest score or their mean.
        """
        classes = self.classes([example.reference for example in examples])
        docs = [example.predicted for example in examples]
        found = self.predict(docs)
        margins = np.array(
            [
                self._of_doc(found.found.scores[sentences])
                for _, _, sentences in found.by_doc(docs)
            ],
            dtype=np.float64,
        )
        known = (classes != 0) & np.array([len(doc) > 0 for doc in docs], dtype=bool)
        return margins[known], classes[known] > 0

    def set_annotations(self, docs: Iterable[Doc], scores: SentencePredictions) -> None:
        """Write categories, the scores of sentences, and shares of tokens."""
        docs = list(docs)
        positive, negative = self.labels
        margins = scores.found.scores
        probabilities = self.probabilities(margins)
        parts = scores.contributions
        for doc, tokens, sentences in scores.by_doc(docs):
            whole = (
                self._of_doc(probabilities[sentences]),
                self._of_doc(margins[sentences]),
            )
            doc.cats = {**doc.cats, positive: whole[0], negative: 1 - whole[0]}
            write_sentence_scores(
                doc,
                scores.found.bounds[sentences] - tokens.start,
                probabilities[sentences],
                margins[sentences],
                whole,
                None if parts is None else parts[tokens],
                None if scores.versions is None else scores.versions[sentences],
            )

    def _of_doc(self, values: NDArray[np.float64]) -> float:
        """Pool the values of a Doc's sentences. An empty Doc has 0."""
        if len(values) < 2:
            return float(values[0]) if len(values) else 0.0
        return float(OF_SENTENCES[self.settings.doc](values))

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Score examples with the threshold of this component."""
        return super().score(examples, threshold=self.threshold, **kwargs)
