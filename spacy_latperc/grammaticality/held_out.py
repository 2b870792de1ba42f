"""Held-out sentences that probabilities are fitted to."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.training import Example

from ..calibration import Calibration, fit_line, sigmoid
from ..errors import Errors


class HeldOutSentences:
    """Held-out sentences with their raw scores and their truth.

    Args:
        pipe: A component that scores sentences (`SentencePipe`).
        batches: Examples whose predicted Docs are annotated by the components before
            it.
    """

    def __init__(self, pipe: Any, batches: Iterable[Sequence[Example]]):
        self.name = pipe.name
        self.pipe = pipe
        compared = [pipe.compare(batch) for batch in batches]
        self.margins = np.concatenate([np.zeros(0), *(m for m, _ in compared)])
        self.correct = np.concatenate([np.zeros(0, bool), *(x for _, x in compared)])
        self.gold = int(self.correct.sum())
        check_both_classes(self.name, self.correct)

    def probabilities(self, temperature: float) -> NDArray[np.float64]:
        """Return the probabilities of the sentences without a bias."""
        return sigmoid(self.margins / temperature)

    def fit(self) -> Calibration:
        """Fit a line from raw scores to log odds."""
        return fit_line(self.margins, self.correct)


def check_both_classes(name: str, good: NDArray[np.bool_]) -> None:
    """Raise an error unless there are sentences of both classes.

    Args:
        name: The name of the component.
        good: A mask of the good sentences.
    """
    positives = int(good.sum())
    if not 0 < positives < len(good):
        raise ValueError(
            Errors.LP461.format(name=name, n=len(good), positives=positives)
        )
