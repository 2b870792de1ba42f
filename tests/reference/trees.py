"""The slow, obvious twin of boosted trees: every question is tried at every level."""

from math import exp, log

import numpy as np

from .chain import join, mix

UNIT = 1 << 14


def single(value):
    """As values and margins are kept. A slope may be rounded the other way without it,
    and the best of two questions that gain the same is another then."""
    return float(np.float32(value))


def fraction(key):
    return (mix(key) >> 11) / (1 << 53)


def learn(numbers, labels, *, reach, n, depth, rate, prior, places, questions, seed):
    """Columns, offsets and thresholds of the questions, values of the leaves, and the
    log odds to begin with; numbers is a list of rows."""
    known = [i for i in range(reach, len(labels) - reach) if labels[i] < 2]
    ones = sum(labels[i] for i in known)
    base = log((ones + 1) / (len(known) - ones + 1))
    margins = dict.fromkeys(known, 0.0)
    asked, values = [], []

    def fit(sums):
        return (sums[0] / UNIT) ** 2 / (sums[1] / UNIT + prior / 4)

    def total(some):
        return tuple(sum(slopes[i][k] for i in some) for k in (0, 1))

    for t in range(n):
        key = join(join(seed, 17), t)
        drawn = [i for k, i in enumerate(known) if fraction(join(key, k)) < places]
        slopes = {}
        for i in drawn:
            p = 1 / (1 + exp(-(base + margins[i])))
            slopes[i] = round((labels[i] - p) * UNIT), round(p * (1 - p) * UNIT)
        leaves = dict.fromkeys(known, 0)
        for level in range(depth):
            key = join(join(join(seed, 18), t), level)
            best, most = (0, 0, 1), -1.0
            for c, row in enumerate(numbers):
                for offset in range(-reach, reach + 1):
                    place = c * (2 * reach + 1) + offset + reach
                    if fraction(join(key, place)) >= questions:
                        continue
                    for least in range(1, 64):
                        gain = 0.0
                        for leaf in range(1 << level):
                            mine = [i for i in drawn if leaves[i] == leaf]
                            high = [i for i in mine if row[i + offset] >= least]
                            low = [i for i in mine if row[i + offset] < least]
                            gain += fit(total(low)) + fit(total(high))
                        if gain > most:
                            best, most = (c, offset, least), gain
            asked.append(best)
            c, offset, least = best
            for i in known:
                leaves[i] |= (numbers[c][i + offset] >= least) << level
        answers = []
        for leaf in range(1 << depth):
            slope, bend = total([i for i in drawn if leaves[i] == leaf])
            answers.append(single(rate * (slope / UNIT / (bend / UNIT + prior / 4))))
        for i in known:
            margins[i] = single(margins[i] + answers[leaves[i]])
        values += answers
    return asked, values, base


def margin(numbers, at, asked, values, base, depth):
    """The log odds of one place."""
    whole = base
    for t in range(len(asked) // depth):
        leaf = 0
        for level, (c, offset, least) in enumerate(asked[t * depth : (t + 1) * depth]):
            leaf |= (numbers[c][at + offset] >= least) << level
        whole += values[(t << depth) + leaf]
    return whole
