"""Parameter mixing, slow and obvious: sums of weight vectors."""

import numpy as np


def mixed_weights(weights, seen):
    """The mean of the weights of shards, by their numbers of examples."""
    total = 0.0 * weights[0].astype(np.float64)
    for w, n in zip(weights, seen, strict=True):
        for _ in range(n):
            total = total + w
    return total / sum(seen)


def mixed_average(before, averages, c, seen):
    """The mean of all weight vectors that there were: before, and in each shard.

    Args:
        before: The average over the first c examples.
        averages: That of each shard, over these and its own.
        c: The number of examples before.
        seen: Those of each shard.
    """
    total = c * before.astype(np.float64)
    for average, n in zip(averages, seen, strict=True):
        total = total + ((c + n) * average.astype(np.float64) - c * before)
    return total / (c + sum(seen))
