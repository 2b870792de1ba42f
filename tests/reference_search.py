"""Searches by their definition: every labelling, every step of the beam."""

import numpy as np
from numpy.typing import NDArray
from reference import Hashes, Path, Shape, Weights, path_features, path_scores, score


def labellings(shape: Shape, scores: NDArray[np.float64]) -> dict[Path, float]:
    """Every possible label sequence, with the score of its best path."""
    best: dict[Path, float] = {}
    for path, value in np.ndenumerate(scores):
        if value > -np.inf:
            labels = shape.labels_of(path)
            best[labels] = max(best.get(labels, -np.inf), float(value))
    return best


def beam_search(
    shape: Shape,
    hashes: Hashes,
    weights: Weights,
    width: int,
    *,
    order: int,
    allowed: NDArray[np.uint8] | None = None,
) -> list[list[Path]] | None:
    """What a beam keeps after each token, best first, by the definition in
    kernels/beam.hh: paths that the rules and the mask let go on to the end."""
    possible = path_scores(shape, hashes, {}, allowed=allowed) > -np.inf
    if not possible.any():
        return None
    kept: list[list[Path]] = [[()]]
    for i in range(len(hashes)):
        best: dict[Path, Path] = {}
        longer = [(*path, j) for path in kept[-1] for j in range(shape.states)]
        scored = {path: prefix_score(shape, hashes, weights, path) for path in longer}
        for path in sorted(longer, key=lambda path: (-scored[path], path[::-1])):
            if possible[path].any():
                best.setdefault(path[i + 1 - order :] if order else (), path)
        kept.append(list(best.values())[:width])
    return kept[1:]


def prefix_score(shape: Shape, hashes: Hashes, weights: Weights, path: Path) -> float:
    return score(weights, path_features(shape, hashes[: len(path)], path))
