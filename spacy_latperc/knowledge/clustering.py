"""Word clusters of raw text: exchange clustering, and Brown's hierarchy over it.

Words that stand beside the same words get the same cluster (Martin, Liermann and Ney
1998; Uszkoreit and Brants 2008). Clusters then merge two by two, always the pair that
loses least of what clusters tell about their neighbours (Brown and others 1992), and so
each has a path of bits: the longer the common start of two paths, the more alike the
clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..errors.check import check_choice, check_count, check_seed
from ..kernels.text import FIRST_WORD, MOST_CLASSES, Exchange, merge_classes
from ..text.sentences import Sentences
from .hierarchy import bit_paths, class_bigrams

SIDES = {"both": 2, "left": 1}
MOST_THREADS = 256
ENOUGH_TOKENS = 2_000_000  # with fewer, clusters may do more harm than good
# Contexts of words that are looked at before the first of them moves: enough for
# threads to share, few enough for hardly a wish to come too late.
BATCH = 1 << 17


@dataclass(frozen=True)
class ClusterSettings:
    """How words are clustered.

    Attributes:
        classes: How many clusters there will be.
        sides: "both": words that stand before and after count alike; "left": those
            before alone.
        min_count: How often a word must occur to get a cluster.
        passes: How often each word is looked at, at most. It ends before when none
            moves.
        seed: Of the clusters to begin with. The same text and seed give the same
            clusters, with any number of threads.
        threads: How many work at once.
    """

    classes: int = 512
    sides: str = "both"
    min_count: int = 3
    passes: int = 12
    seed: int = 0
    threads: int = 1

    def check(self) -> None:
        """Refuse what cannot be, before a text is read."""
        check_count("classes", self.classes, low=2, high=MOST_CLASSES)
        check_choice("sides", self.sides, SIDES)
        check_count("min_count", self.min_count)
        check_count("passes", self.passes)
        check_seed(self.seed)
        check_count("threads", self.threads, high=MOST_THREADS)


@dataclass(frozen=True)
class Pass:
    """What came of a pass over the words.

    Attributes:
        number: From 1; 0 is the state before the first pass.
        moved: How many words changed their cluster.
        bits: What a word of the text costs: the less, the likelier the text is.
        seconds: Since the beginning.
    """

    number: int
    moved: int
    bits: float
    seconds: float


@dataclass(frozen=True)
class WordClusters:
    """Words with their clusters.

    Attributes:
        words: The words, the most frequent first.
        counts: How often each occurs in the text.
        classes: The cluster of each; the first cluster has most of the text.
        paths: The bits of each cluster.
        tokens: Words of the text, those without a cluster too.
    """

    words: list[str]
    counts: NDArray[np.int64]
    classes: NDArray[np.int32]
    paths: list[str]
    tokens: int

    @cached_property
    def members(self) -> list[NDArray[np.int64]]:
        """The numbers of the words of each cluster, the most frequent first."""
        order = np.argsort(self.classes, kind="stable")
        ends = np.cumsum(np.bincount(self.classes, minlength=len(self.paths)))
        return np.split(order, ends[:-1])

    def to_bytes(self) -> bytes:
        """A line for each word, as Brown's program writes them: path, word, count."""
        rows = sorted(zip(self.paths, self.members, strict=True), key=lambda x: x[0])
        lines = [
            f"{path}\t{self.words[word]}\t{self.counts[word]}\n"
            for path, members in rows
            for word in members.tolist()
        ]
        return "".join(lines).encode("utf8")


def cluster_words(
    text: Sentences,
    settings: ClusterSettings | None = None,
    *,
    progress: Callable[[Pass], None] | None = None,
) -> WordClusters:
    """Cluster the words of a text.

    Raises:
        ValueError: There are fewer words than clusters.
    """
    settings = settings or ClusterSettings()
    settings.check()
    counts = np.bincount(text.ids, minlength=text.vocabulary.size)
    numbers, place = _frequent_words(counts, settings)
    ids = place[text.ids]
    exchange = Exchange(
        ids,
        text.bounds,
        _first_classes(len(numbers), settings),
        classes=settings.classes,
        sides=SIDES[settings.sides],
    )
    for report in _passes(exchange, settings):
        if progress:
            progress(report)
    counts = counts[numbers]
    classes = _by_size(exchange.classes, counts, settings.classes)
    bigrams = class_bigrams(ids, text.bounds, classes, settings.classes)
    return WordClusters(
        words=text.vocabulary.words_of(numbers),
        counts=counts,
        classes=classes,
        paths=bit_paths(merge_classes(bigrams)),
        tokens=len(ids),
    )


def _frequent_words(
    counts: NDArray[np.int64], settings: ClusterSettings
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The words that get a cluster, the most frequent first, and by word number its
    place in that list; the place after the last is any other word."""
    counts = counts.copy()
    counts[:FIRST_WORD] = 0
    order = np.argsort(-counts, kind="stable")
    numbers = order[: np.count_nonzero(counts >= settings.min_count)]
    if len(numbers) < settings.classes:
        message = Errors.LP720.format(
            classes=settings.classes, words=len(numbers), least=settings.min_count
        )
        raise ValueError(message)
    place = np.full(len(counts), len(numbers), dtype=np.int32)
    place[numbers] = np.arange(len(numbers))
    return numbers.astype(np.int32), place


def _first_classes(words: int, settings: ClusterSettings) -> NDArray[np.int32]:
    """Words that are alike in frequency begin in different clusters, at random."""
    rng = np.random.Generator(np.random.PCG64(settings.seed))
    rounds = -(-words // settings.classes)
    order = [rng.permutation(settings.classes) for _ in range(rounds)]
    return np.concatenate(order)[:words].astype(np.int32)


def _passes(exchange: Exchange, settings: ClusterSettings) -> Iterator[Pass]:
    start = perf_counter()
    yield Pass(0, 0, exchange.bits, perf_counter() - start)
    batches = _batches(exchange.degrees, settings.threads)
    with ThreadPoolExecutor(settings.threads) as pool:
        for number in range(1, settings.passes + 1):
            moved = 0
            for parts in batches:
                if len(parts) == 2:
                    exchange.propose(*parts)
                else:
                    tasks = zip(parts[:-1], parts[1:], strict=True)
                    list(pool.map(lambda task: exchange.propose(*task), tasks))
                moved += exchange.apply(parts[0], parts[-1])
            yield Pass(number, moved, exchange.bits, perf_counter() - start)
            if not moved:
                return


def _batches(degrees: NDArray[np.int64], threads: int) -> list[list[int]]:
    """Where the batches of words begin and end, and the shares of the threads between.

    The batches themselves do not depend on the threads.
    """
    ends = np.cumsum(degrees)
    most = len(degrees) // 32 + 1  # words
    batches = []
    first = 0
    while first < len(degrees):
        before = ends[first] - degrees[first]
        last = int(np.searchsorted(ends, before + BATCH, side="right"))
        last = min(max(last, first + 1), first + most)
        shares = before + (ends[last - 1] - before) * np.arange(1, threads) / threads
        cuts = np.searchsorted(ends[first:last], shares) + first
        batches.append(sorted({first, *cuts.tolist(), last}))
        first = last
    return batches


def _by_size(
    classes: NDArray[np.int32], counts: NDArray[np.int64], n: int
) -> NDArray[np.int32]:
    """The same clusters, numbered by how much of the text they have."""
    sizes = np.bincount(classes, weights=counts, minlength=n)
    place = np.empty(n, dtype=np.int32)
    place[np.argsort(-sizes, kind="stable")] = np.arange(n)
    return place[classes]
