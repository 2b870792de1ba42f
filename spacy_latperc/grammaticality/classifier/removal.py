"""The costs of spans: how much better a sentence would be without a span.

The sentence is read again without the span, so that the words around it become
neighbours. (Leaping over the span in the lattice, as FrozenClassifier.span_costs does,
keeps their n-grams; only the experiment `error_places` compares with that.) The
component and this experiment call the same function.
"""

from collections.abc import Iterator
from typing import NamedTuple

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

# The effort is quadratic in the length. Longer sentences are not read whole.
LONGEST_SENTENCE = 200
# They are read in blocks of so many tokens, with context around each.
BLOCK = 100
CONTEXT = 50
TOKENS_AT_ONCE = 1 << 17

Costs = NDArray[np.float64]


class Window(NamedTuple):
    """Tokens that are read with and without each span.

    Args:
        begin: The first token.
        end: The end of the tokens.
        first: The first token at which a span begins.
        last: The end of such tokens.
    """

    begin: int
    end: int
    first: int
    last: int


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

    Sentences of up to LONGEST_SENTENCE tokens are read whole. In longer ones both
    scores are of the span and at least CONTEXT tokens on either side of it, as far as
    the sentence has them.

    Args:
        frozen: The weights.
        space: The features.
        attrs: The attributes of the tokens.
        bounds: The first token of each sentence, and the end.
        longest: The largest number of tokens in a span.
        values: Lists of values that replace some attributes.

    Returns:
        Element [i, l] is the score of the sentence without the l + 1 tokens from i on,
        less its score; -inf for spans that pass its end or are all of it.
    """
    costs = np.full((attrs.n_tokens, longest), -np.inf)
    for windows in _portions(bounds, longest):
        kept: list[NDArray[np.int64]] = []
        sizes: list[int] = [0]
        counts: list[int] = []  # spans of each window
        rows: list[NDArray[np.int64]] = []
        columns: list[NDArray[np.int64]] = []
        for window in windows:
            n = window.end - window.begin
            kept.append(np.arange(window.begin, window.end))
            sizes.append(n)
            spans = 0
            for length in range(1, min(longest, n - 1) + 1):
                last = min(window.last, window.end - length + 1)
                starts = np.arange(window.first, last)
                rest = np.arange(window.begin, window.end - length)
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
        if len(rest_scores):
            costs[np.concatenate(rows), np.concatenate(columns)] = (
                rest_scores - np.repeat(scores[whole], counts)
            )
    return costs


def _portions(bounds: Offsets, longest: int) -> Iterator[list[Window]]:
    """Yield groups of windows whose variants have some TOKENS_AT_ONCE tokens."""
    portion: list[Window] = []
    tokens = 0
    for window in _windows(bounds, longest):
        portion.append(window)
        tokens += (window.last - window.first) * (window.end - window.begin) * longest
        if tokens >= TOKENS_AT_ONCE:
            yield portion
            portion, tokens = [], 0
    if portion:
        yield portion


def _windows(bounds: Offsets, longest: int) -> Iterator[Window]:
    """Yield the windows of each sentence; a single token has no span to remove."""
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        if end - begin <= LONGEST_SENTENCE:
            if end - begin > 1:
                yield Window(begin, end, begin, end)
            continue
        for first in range(begin, end, BLOCK):
            last = min(first + BLOCK, end)
            around = max(begin, first - CONTEXT), min(end, last + longest + CONTEXT)
            yield Window(*around, first, last)


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
