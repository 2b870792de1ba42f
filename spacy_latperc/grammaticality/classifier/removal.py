"""The costs of spans: how much better a sentence would be without a span.

The sentence is read again without the span, so that the words around it become
neighbours.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...kernels.chains import (
    BatchAttributes,
    FeatureSpace,
    FrozenClassifier,
    Question,
    TokenValues,
)
from ...learners.base import Offsets

# The effort is quadratic in the length: longer sentences have no costs.
LONGEST_SENTENCE = 200
TOKENS_AT_ONCE = 1 << 17

Costs = NDArray[np.float64]


def removal_costs(
    frozen: FrozenClassifier,
    space: FeatureSpace,
    attrs: BatchAttributes,
    bounds: Offsets,
    *,
    longest: int,
    values: TokenValues | None = None,
) -> Costs:
    """Compute the cost of each span of each sentence.

    Args:
        frozen: The weights.
        space: The features.
        attrs: The attributes of the tokens.
        bounds: The first token of each sentence, and the end.
        longest: The largest number of tokens in a span.
        values: Lists of values that replace some attributes.

    Returns:
        Element [i, l] is the score of the sentence without the l + 1 tokens from i on,
        less its score; -inf for spans that pass its end or are all of it, and in
        sentences of more than LONGEST_SENTENCE tokens.
    """
    costs = np.full((attrs.n_tokens, longest), -np.inf)
    for sentences in _portions(bounds, longest):
        kept: list[NDArray[np.int64]] = []
        sizes: list[int] = [0]
        counts: list[int] = []  # spans of each sentence
        rows: list[NDArray[np.int64]] = []
        columns: list[NDArray[np.int64]] = []
        for begin, end in sentences:
            n, spans = end - begin, 0
            kept.append(np.arange(begin, end))
            sizes.append(n)
            for length in range(1, min(longest, n - 1) + 1):
                starts = np.arange(begin, end - length + 1)
                rest = np.arange(begin, end - length)
                kept.append((rest + length * (rest >= starts[:, None])).reshape(-1))
                sizes += [n - length] * len(starts)
                rows.append(starts)
                columns.append(np.full(len(starts), length - 1))
                spans += len(starts)
            counts.append(spans)
        ends = np.cumsum(sizes, dtype=np.int64)
        tokens = np.concatenate(kept)
        listed = values and values.take(tokens)
        asked = Question(space, attrs.take(tokens), ends, values=listed)
        scores = frozen.predict(asked)[0].sum(axis=0)
        whole = np.cumsum([0, *(spans + 1 for spans in counts[:-1])])
        rest_scores = np.delete(scores, whole)
        costs[np.concatenate(rows), np.concatenate(columns)] = rest_scores - np.repeat(
            scores[whole], counts
        )
    return costs


def _portions(bounds: Offsets, longest: int) -> Iterator[list[tuple[int, int]]]:
    """Yield groups of sentences whose variants have some TOKENS_AT_ONCE tokens. A
    single token has no span to remove."""
    portion: list[tuple[int, int]] = []
    tokens = 0
    for begin, end in pairwise(bounds.tolist()):
        if 1 < end - begin <= LONGEST_SENTENCE:
            portion.append((begin, end))
            tokens += (end - begin) ** 2 * longest
        if tokens >= TOKENS_AT_ONCE:
            yield portion
            portion, tokens = [], 0
    if portion:
        yield portion


def worst_spans(costs: Costs, most: int) -> list[tuple[int, int, float]]:
    """Find the spans with the highest costs that do not overlap.

    Args:
        costs: The costs of a sentence: [tokens, lengths].
        most: The largest number of spans. Only spans with a positive cost count.

    Returns:
        Start, end and cost of each, in the order of the sentence.
    """
    found: list[tuple[int, int, float]] = []
    free = np.ones(len(costs), dtype=bool)
    for cell in np.argsort(-costs, axis=None, kind="stable").tolist():
        start, length = divmod(cell, costs.shape[1])
        cost, end = float(costs[start, length]), start + length + 1
        if cost <= 0 or len(found) == most:
            break
        if free[start:end].all():
            free[start:end] = False
            found.append((start, end, cost))
    return sorted(found)
