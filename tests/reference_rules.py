"""Slow twins of rules that keep more than weights, or compare more than two paths."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from reference import (
    Features,
    Hashes,
    Shape,
    Weights,
    difference,
    hamming,
    path_features,
    score,
    search_both,
)

Cells = dict[tuple[int, int, tuple[int, ...]], float]


def add_cells(shape: Shape, weights: Weights, cells: Cells) -> Weights:
    """The weights with these cells added; the old ones stay as they are."""
    result = {name: row.copy() for name, row in weights.items()}
    for (b, key, cell), value in cells.items():
        row = result.setdefault((b, key), np.zeros(shape.row_shape(b)))
        row[cell] += value
    return result


@dataclass
class Arow:
    """Crammer, Kulesza, Dredze 2009, Figure 1, with a diagonal covariance."""

    shape: Shape
    r: float
    weights: Weights
    variances: dict = field(default_factory=dict)

    def learn(self, hashes: Hashes, gold: Sequence[int]) -> float:
        found = search_both(self.shape, hashes, gold, self.weights, 1.0)
        assert found is not None
        inside, free = (path_features(self.shape, hashes, path) for path in found)
        cost = hamming(self.shape, gold, found[1])
        loss = score(self.weights, free) + cost - score(self.weights, inside)
        if loss <= 0:
            return 0.0
        d: Features = difference(inside, free)
        sigma = {cell: self.variances.get(cell, 1.0) for cell in d}
        beta = 1 / (sum(d[cell] ** 2 * sigma[cell] for cell in d) + self.r)
        self.weights = add_cells(
            self.shape,
            self.weights,
            {cell: loss * beta * sigma[cell] * d[cell] for cell in d},
        )
        for cell in d:
            self.variances[cell] = sigma[cell] - beta * (sigma[cell] * d[cell]) ** 2
        return loss
