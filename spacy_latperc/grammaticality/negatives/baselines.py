"""Two baselines without grammar: one by length, and a bag of words.

Negatives that they recognise cannot test a grammaticality classifier.
"""

import numpy as np
from numpy.typing import NDArray

from ...text.sentences import Sentences
from ..rng import random_order

PASSES = 5
BATCH = 64
RATE = 0.1


def length_accuracy(
    train: tuple[Sentences, Sentences], test: tuple[Sentences, Sentences]
) -> float:
    """Measure the accuracy of predicting the majority class of each length; ties and
    new lengths count half.

    Args:
        train: Positives and negatives to learn from.
        test: Positives and negatives to classify.
    """
    leaning = _lengths(train[0]) - _lengths(train[1])
    right = 0.0
    for sentences, sign in zip(test, (1, -1), strict=True):
        known = np.minimum(sentences.lengths, len(leaning) - 1)
        guess = np.where(sentences.lengths < len(leaning), leaning[known], 0)
        right += float((0.5 * (1 + np.sign(guess * sign))).sum())
    return right / sum(map(len, test))


def _lengths(sentences: Sentences) -> NDArray[np.int64]:
    return np.bincount(np.minimum(sentences.lengths, 1000), minlength=1001)


def bag_of_words_accuracy(
    train: tuple[Sentences, Sentences],
    test: tuple[Sentences, Sentences],
    *,
    seed: int = 0,
) -> float:
    """Measure the accuracy of logistic regression on word counts (AdaGrad in small
    batches)."""
    weights = _fit(*train, seed=seed)
    right = sum(
        float((0.5 * (1 + np.sign(sign * _scores(weights, sentences)))).sum())
        for sentences, sign in zip(test, (1, -1), strict=True)
    )
    return right / sum(map(len, test))


def _scores(weights: NDArray[np.float64], sentences: Sentences) -> NDArray[np.float64]:
    if not len(sentences):
        return np.zeros(0)
    sums = np.add.reduceat(weights[sentences.ids], sentences.bounds[:-1])
    return sums + weights[-1]


def _fit(
    positives: Sentences, negatives: Sentences, *, seed: int
) -> NDArray[np.float64]:
    """Fit weights by word number; the last is the bias."""
    sets = (positives, negatives)
    n = sum(map(len, sets))
    weights = np.zeros(positives.vocabulary.size + 1)
    squares = np.full_like(weights, 1e-8)
    for number in range(PASSES):
        order = random_order(n, seed, number)
        for begin in range(0, n, BATCH):
            batch = order[begin : begin + BATCH]
            chosen = (batch[batch < len(positives)], batch[batch >= len(positives)])
            gradient_ids: list[NDArray[np.int32]] = []
            gradient: list[NDArray[np.float64]] = []
            for sentences, numbers, sign in zip(
                sets, (chosen[0], chosen[1] - len(positives)), (1, -1), strict=True
            ):
                part = sentences.take(numbers)
                margins = np.clip(sign * _scores(weights, part), -30, 30)
                slope = -sign / (1 + np.exp(margins))
                bias = np.full(len(part), len(weights) - 1, dtype=np.int32)
                gradient_ids += [part.ids, bias]
                gradient += [np.repeat(slope, part.lengths), slope]
            ids, at = np.unique(np.concatenate(gradient_ids), return_inverse=True)
            g = np.bincount(at, weights=np.concatenate(gradient))
            squares[ids] += g * g
            weights[ids] -= RATE * g / np.sqrt(squares[ids])
    return weights
