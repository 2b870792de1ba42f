"""Sums over paths by their definition: every path is looked at."""

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def log_sum(scores):
    top = float(np.max(scores, initial=-np.inf))
    if top == -np.inf:
        return top
    return top + float(np.log(np.exp(scores - top).sum()))


def probabilities(scores, *, temperature=1.0):
    """Compute the probabilities of all paths, one axis per token, from their scores."""
    return np.exp(scores / temperature - log_sum(scores / temperature))


def marginal(p, *tokens):
    """Compute the joint marginal of the states of these tokens."""
    return p.sum(axis=tuple(i for i in range(p.ndim) if i not in tokens))


def by_label(table, latent):
    """Sums over the latent values of each label, along every axis."""
    for axis in range(table.ndim):
        shape = list(table.shape)
        shape[axis : axis + 1] = [shape[axis] // latent, latent]
        table = table.reshape(shape).sum(axis=axis + 1)
    return table


def best_by_label(scores, latent):
    """The best score of a path through each label at each token: [tokens, labels]."""
    rows = []
    for i in range(scores.ndim):
        others = tuple(axis for axis in range(scores.ndim) if axis != i)
        rows.append(scores.max(axis=others).reshape(-1, latent).max(axis=1))
    return np.array(rows)


@dataclass(frozen=True)
class Lattice:
    """Scores of states [n, S], and of pairs and triples, for all tokens or for each."""

    e: Array
    pairs: Array | None = None
    triples: Array | None = None
    latent: int = 1
    transitions: NDArray[np.bool_] | None = None
    starts: NDArray[np.bool_] | None = None
    ends: NDArray[np.bool_] | None = None

    def scores(self):
        """Score all paths, one axis per token; -inf for forbidden ones."""
        n, S = self.e.shape
        total = np.zeros((S,) * n)
        for path in itertools.product(range(S), repeat=n):
            total[path] = self.score(path)
        return total

    def score(self, path):
        labels = [state // self.latent for state in path]
        if self.starts is not None and not self.starts[labels[0]]:
            return -np.inf
        if self.ends is not None and not self.ends[labels[-1]]:
            return -np.inf
        score = 0.0
        for i, state in enumerate(path):
            score += self.e[i, state]
            if i > 0:
                score += _at(self.pairs, 2, i, path[i - 1 : i + 1])
                if self.transitions is not None:
                    if not self.transitions[labels[i - 1], labels[i]]:
                        return -np.inf
            if i > 1:
                score += _at(self.triples, 3, i, path[i - 2 : i + 1])
        return float(score)


def _at(table, history, i, states):
    if table is None:
        return 0.0
    return float((table if table.ndim == history else table[i])[tuple(states)])
