"""What a span costs: the sentence is read again without it."""

import numpy as np
from numpy.typing import NDArray

from ...kernels.features import FeatureSpace
from ...kernels.frozen_classifier import FrozenClassifier
from ..answers import Offsets

LONGEST_SENTENCE = 200  # reading again takes time with the square of its length
AT_ONCE = 1 << 18  # tokens


def removal_costs(
    frozen: FrozenClassifier,
    space: FeatureSpace,
    attrs: NDArray[np.uint64],
    bounds: Offsets,
    *,
    longest: int,
) -> NDArray[np.float32]:
    """Element [i, l]: the score of the sentence without the l + 1 tokens from i on,
    less its score; -inf past its end. A sentence without any token scores 0.

    Of sentences of more than LONGEST_SENTENCE tokens it is what a derivation gains that
    leaps over the span, as FrozenClassifier.span_costs has it.
    """
    costs = np.full((len(attrs), longest), -np.inf, dtype=np.float32)
    lengths = np.diff(bounds)
    whole = frozen.predict(space, attrs, bounds)[0].sum(axis=0)
    for s in np.flatnonzero(lengths > LONGEST_SENTENCE):
        start, end = bounds[s], bounds[s + 1]
        costs[start:end] = frozen.span_costs(
            space, attrs[start:end], np.array([0, end - start]), longest=longest
        )
    short = np.flatnonzero((lengths > 0) & (lengths <= LONGEST_SENTENCE))
    weight = np.cumsum(lengths[short] ** 2 * longest) // AT_ONCE
    for part in np.split(short, np.flatnonzero(np.diff(weight)) + 1):
        for s in part:
            n = int(lengths[s])
            for length in range(1, min(longest, n) + 1):
                places = bounds[s] + np.arange(n - length + 1)
                costs[places, length - 1] = -whole[s]
        kept, ends, rows, columns = _without_spans(bounds, lengths, part, longest)
        if len(rows):
            rest = frozen.predict(space, np.ascontiguousarray(attrs[kept]), ends)[0]
            costs[rows, columns] += rest.sum(axis=0).astype(np.float32)
    return costs


def _without_spans(
    bounds: Offsets, lengths: Offsets, part: NDArray[np.int64], longest: int
) -> tuple[Offsets, Offsets, Offsets, Offsets]:
    """The tokens of each sentence without each span, where these sentences begin, and
    the place of each in the table of costs. What is left of nothing is left out."""
    kept, sizes, rows, columns = [], [0], [], []
    for s in part:
        n = int(lengths[s])
        tokens = np.arange(n)
        for length in range(1, min(longest, n - 1) + 1):
            starts = np.arange(n - length + 1)[:, None]
            stays = (tokens < starts) | (tokens >= starts + length)
            kept.append(bounds[s] + np.broadcast_to(tokens, stays.shape)[stays])
            sizes += [n - length] * len(starts)
            rows.append(bounds[s] + starts[:, 0])
            columns.append(np.full(len(starts), length - 1))
    empty = [np.zeros(0, dtype=np.int64)]
    return (
        np.concatenate(empty + kept),
        np.cumsum(sizes, dtype=np.int64),
        np.concatenate(empty + rows),
        np.concatenate(empty + columns),
    )
