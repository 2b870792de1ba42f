"""Clusters of the words of a text that is larger than memory."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..kernels.text import BEGIN, END
from ..knowledge.clustering import (
    SIDES,
    ClusterSettings,
    Contexts,
    Pass,
    WordClusters,
    cluster_counted,
    frequent_words,
)
from .counting import CountedText, Run, TextCounting, pairs_of

Counted = tuple[NDArray[np.int64], NDArray[np.int64]]


def contexts_of(run: Run, place: NDArray[np.int32], words: int, sides: int) -> Counted:
    """What stands beside words in a run: word and context as one number, which rise,
    and how often.

    Args:
        run: Of pairs of words.
        place: By word number, the place of a word; `words` for rare ones.
        words: How many have a place.
        sides: 1 for the words before, 2 for those after too.
    """
    left, right, count = pairs_of(run)
    one, other = place[left].astype(np.int64), place[right].astype(np.int64)
    one[left == BEGIN] = words + 1
    other[right == END] = words + 1
    side = words + 2
    keys = [(other * (2 * side) + one)[other < words]]
    times = [count[other < words]]
    if sides == 2:
        keys.append((one * (2 * side) + side + other)[one < words])
        times.append(count[one < words])
    return _added(keys, times)


def _added(keys: Sequence[NDArray], times: Sequence[NDArray]) -> Counted:
    every, number = np.unique(np.concatenate(keys), return_inverse=True)
    sums = np.bincount(
        number.reshape(-1), weights=np.concatenate(times), minlength=len(every)
    )
    return every, sums.astype(np.int64)


def cluster_texts(
    counting: TextCounting,
    paths: Sequence[str],
    settings: ClusterSettings,
    *,
    progress: Callable[[Pass], None] | None = None,
) -> tuple[WordClusters, CountedText]:
    """What `cluster_words` makes of these texts, and their counts. What is in memory
    here is which words stand beside one another, and not the text.

    Args:
        counting: On a cluster.
        paths: The texts.
        settings: How to cluster.
        progress: Told of each pass.
    """
    settings.check()
    counted = counting.count(paths, 2)
    numbers, place = frequent_words(counted.counts, settings)
    words, sides = len(numbers), SIDES[settings.sides]
    # Both sides, also where one counts: clusters are merged by what follows them.
    sent = counting.ray.put(place)
    found = counting.of_ranges(contexts_of, counted, sent, words, 2)
    keys, times = _added(*zip(*found, strict=True))
    side = words + 2
    word, context = keys // (2 * side), keys % (2 * side)

    def bigrams(classes: NDArray[np.int32]) -> NDArray[np.int64]:
        n = settings.classes
        inside = (context >= side) & (context < side + words)
        cells = classes[word[inside]].astype(np.int64) * n
        cells += classes[context[inside] - side]
        table = np.bincount(cells, weights=times[inside], minlength=n * n)
        return table.astype(np.int64).reshape(n, n)

    used = context < side if sides == 1 else np.ones(len(keys), dtype=bool)
    begin = np.searchsorted(word[used], np.arange(words + 1)).astype(np.int64)
    known = Contexts(
        words=counted.vocabulary.words_of(numbers),
        counts=counted.counts[numbers],
        begin=begin,
        contexts=context[used].astype(np.int32),
        times=times[used].astype(np.int32),
        tokens=counted.tokens,
    )
    return cluster_counted(known, settings, bigrams, progress=progress), counted
