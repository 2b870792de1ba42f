"""Data with known margins, and what theorems about mistakes measure of it."""

import itertools
from functools import cache

import numpy as np
from reference import chain as twin

from builders.chains import (
    FIRST,
    hashes_of,
    make_shape,
    random_sentence,
    random_weights,
)

LABELS = 2


@cache
def separable_data(seed, order, *, sentences=12, margin=0.05):
    """Sentences labelled by a unit vector U that separates them.

    RETURNS: U, sentences, gold labels, the margin delta.
    """
    rng = np.random.default_rng(seed)
    shape = make_shape("label", labels=LABELS, order=order)
    pool = [random_sentence(rng, int(rng.integers(1, 5)), values=3) for _ in range(200)]
    while True:
        U = random_weights(rng, shape, pool, steps=1000, grain=1.0, share=1.0)
        length = norm(U)
        U = {name: row / length for name, row in U.items()}
        found = [gold_and_margin(shape, sentence, U) for sentence in pool]
        chosen = [i for i, (_, wins_by) in enumerate(found) if wins_by >= margin]
        chosen = chosen[:sentences]
        golds = [found[i][0] for i in chosen]
        # Something is to be learned where both labels are common.
        if len(chosen) == sentences and 0.3 < np.mean(np.concatenate(golds)) < 0.7:
            break
    return U, [pool[i] for i in chosen], golds, min(found[i][1] for i in chosen)


def gold_and_margin(shape, sentence, U):
    scores = twin.path_scores(shape, hashes_of(sentence), U)
    second, first = np.sort(scores, axis=None)[-2:]
    return twin.first_best(scores), first - second


def spread(U, latent):
    """The paper's U-bar: every weight stands for all latent states of its labels."""
    result = {}
    for name, row in U.items():
        for axis in range(row.ndim):
            row = np.repeat(row, latent, axis=axis)
        result[name] = row
    return result


def norm(weights):
    return np.sqrt(sum((row**2).sum() for row in weights.values()))


def longest_feature_vector(order, sentences):
    """M: the largest norm over all sentences and all their label sequences."""
    shape = make_shape("label", labels=LABELS, order=order)
    return max(
        np.sqrt(
            sum(count**2 for count in twin.path_features(shape, hashes, path).values())
        )
        for hashes in map(hashes_of, sentences)
        for path in itertools.product(range(LABELS), repeat=len(hashes))
    )


def unit(weights: twin.Weights) -> twin.Weights:
    length = norm(weights)
    return {name: row / length for name, row in weights.items()}


def largest_difference(shape, sentences, golds):
    """R: the largest |F(gold) - F(path)|."""
    largest = 0
    for sentence, gold in zip(sentences, golds, strict=True):
        hashes = hashes_of(sentence)
        better = twin.path_features(shape, hashes, gold)
        for path in itertools.product(range(shape.states), repeat=len(gold)):
            d = twin.difference(better, twin.path_features(shape, hashes, path))
            largest = max(largest, sum(count**2 for count in d.values()))
    return float(np.sqrt(largest))


def margins_of(shape, sentences, golds, U):
    """Compute the margin of the worst gold path over the best other path."""
    found = []
    for sentence, gold in zip(sentences, golds, strict=True):
        scores = twin.path_scores(shape, hashes_of(sentence), U)
        mask = twin.gold_mask(shape, gold)
        right = twin.path_scores(shape, hashes_of(sentence), U, allowed=mask) > -np.inf
        found.append(scores[right].min() - scores[~right].max())
    return np.array(found)


def least_bound(shape, sentences, golds, candidates, R):
    """min (R + D)^2 / delta^2 over some unit vectors and margins (Freund & Schapire
    1999); D is how much is missing from the margin, summed in squares."""
    bounds = []
    for U in candidates:
        found = margins_of(shape, sentences, golds, U)
        for delta in np.geomspace(0.05, 2.0, 20) * np.abs(found).max():
            missing = np.maximum(0.0, delta - found)
            bounds.append((R + np.sqrt((missing**2).sum())) ** 2 / delta**2)
    return min(bounds)


def noisy_values(seed, *, examples, latent=1, noise=0.04, values=4):
    """Single tokens of a few values; the label says whether the value is odd, but for
    some noise. RETURNS: shape, sentences, gold labels, and the vector that knows it."""
    rng = np.random.default_rng(seed)
    shape = twin.Shape(LABELS, latent, 0, [(0, latent > 1, [FIRST])])
    seen = rng.integers(1, values + 1, size=examples)
    flipped = rng.random(examples) < noise
    sentences = [np.full((1, 2), value, np.uint64) for value in seen]
    golds = [
        (int(value % 2 ^ flip),) for value, flip in zip(seen, flipped, strict=True)
    ]
    U: twin.Weights = {}
    for value, sentence in zip(seen, sentences, strict=True):
        key = hashes_of(sentence)[0][FIRST]
        U[0, key] = np.array([-1.0, 1.0]) * (1 if value % 2 else -1)
    return shape, sentences, golds, U
