"""Searches by their definition: every labelling, every step of the beam."""

import numpy as np
from numpy.typing import NDArray
from reference import Path, Shape


def labellings(shape: Shape, scores: NDArray[np.float64]) -> dict[Path, float]:
    """Every possible label sequence, with the score of its best path."""
    best: dict[Path, float] = {}
    for path, score in np.ndenumerate(scores):
        if score > -np.inf:
            labels = shape.labels_of(path)
            best[labels] = max(best.get(labels, -np.inf), float(score))
    return best
