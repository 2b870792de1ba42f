"""Slow twins of rules that keep more than weights, or compare more than two paths."""

import itertools
import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from reference import chain

Cells = dict[tuple[int, int, tuple[int, ...]], float]


def add_cells(shape, weights, cells):
    """The weights with these cells added; the old ones stay as they are."""
    result = {name: row.copy() for name, row in weights.items()}
    for (b, key, cell), value in cells.items():
        row = result.setdefault((b, key), np.zeros(shape.row_shape(b)))
        row[cell] += value
    return result


def best_paths(shape, scores, n):
    """The n best label sequences, each by its best path, best first; no ties."""
    best: dict[chain.Path, tuple[float, chain.Path]] = {}
    for path in np.ndindex(scores.shape):
        if scores[path] == -np.inf:
            continue
        found = float(scores[path]), path
        labels = shape.labels_of(path)
        best[labels] = max(best.get(labels, found), found)
    return sorted(best.values(), reverse=True)[:n]


def margins(shape, hashes, gold, weights, n):
    """f(gold path) - f(path), and how much is missing, for the n that miss most."""
    mask = chain.gold_mask(shape, gold)
    inside = chain.first_best(chain.path_scores(shape, hashes, weights, allowed=mask))
    assert inside is not None
    better = chain.path_features(shape, hashes, inside)
    target = chain.score(weights, better)
    found = best_paths(
        shape, chain.path_scores(shape, hashes, weights, costs=1.0 - mask), n
    )
    return [
        (
            chain.difference(better, chain.path_features(shape, hashes, path)),
            value - target,
        )
        for value, path in found
        if chain.hamming(shape, gold, path)
    ]


def smallest_change(constraints, cap):
    """Solve the dual problem: try multipliers at 0, at the cap, or in between."""
    n = len(constraints)
    gram = np.array([[dot(d, e) for e, _ in constraints] for d, _ in constraints])
    losses = np.array([loss for _, loss in constraints])
    best, best_value = np.zeros(n), 0.0
    ends = (0.0, cap) if math.isfinite(cap) else (0.0,)
    for places in itertools.product((*ends, None), repeat=n):
        alpha = np.array([place or 0.0 for place in places])
        free = [k for k, place in enumerate(places) if place is None]
        if free:
            missing = losses[free] - gram[free] @ alpha
            alpha[free] = np.linalg.lstsq(gram[np.ix_(free, free)], missing)[0]
        if (alpha < -1e-9).any() or (alpha > cap + 1e-9).any():
            continue
        value = losses @ alpha - alpha @ gram @ alpha / 2
        if value > best_value:
            best, best_value = alpha, value
    cells: Counter = Counter()
    for alpha, (d, _) in zip(best, constraints, strict=True):
        for cell, count in d.items():
            cells[cell] += alpha * count
    return dict(cells)


def dot(one, other):
    return sum(count * other[cell] for cell, count in one.items())


def probabilities(scores, degree):
    """degree: of the polynomial, 0 for the log-linear form."""
    s = np.array(scores)
    mass = (1 + (s - s.min()) / degree) ** degree if degree else np.exp(s - s.max())
    return mass / mass.sum()


@dataclass(frozen=True)
class Probabilistic:
    """Algorithm 1 of the paper; paths that agree with the gold stay as they are."""

    n: int
    degree: float = 0.0
    add_gold: bool = True

    def __call__(self, shape, hashes, gold, weights):
        return self.step(shape, hashes, gold, weights)[1]

    def step(self, shape, hashes, gold, weights):
        """The expected number of wrong labels, and the change."""
        allowed = chain.path_scores(
            shape, hashes, weights, allowed=chain.gold_mask(shape, gold)
        )
        star = chain.first_best(allowed)
        assert star is not None
        found = best_paths(shape, chain.path_scores(shape, hashes, weights), self.n)
        wrong = [chain.hamming(shape, gold, path) for _, path in found]
        scores = [value for value, _ in found]
        if self.add_gold and all(wrong):
            scores.append(float(allowed[star]))
        loss = 0.0
        cells: Counter = Counter()
        better = chain.path_features(shape, hashes, star)
        for p, mistakes, (_, path) in zip(
            probabilities(scores, self.degree), wrong, found, strict=False
        ):
            if mistakes:
                loss += p * mistakes
                d = chain.difference(better, chain.path_features(shape, hashes, path))
                for cell, count in d.items():
                    cells[cell] += p * count
        return loss, dict(cells)
