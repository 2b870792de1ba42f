"""Word clusters of raw text: exchange clustering, and Brown's hierarchy over it.

Words with the same neighbours get the same cluster (Martin, Liermann and Ney 1998;
Uszkoreit and Brants 2008). Clusters then merge two by two, always the pair that loses
least of the mutual information of neighbours (Brown and others 1992). This gives each
cluster a path of bits: the longer the common start of two paths, the more similar the
clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..errors.check import check_count, check_seed
from ..kernels.text import FIRST_WORD, MOST_CLASSES, Exchange, merge_classes
from ..text.sentence_files import read_sentences, tokenizer_of
from ..text.sentences import Sentences

SIDES = 2  # the neighbours that count: the word before and the one after
MOST_THREADS = 256
WORDS_PER_CLUSTER = 20  # at least, in a small text
ENOUGH_TOKENS = 2_000_000  # with fewer, clusters may do more harm than good
# Contexts of the words that are scored before the first of them moves: enough work for
# threads, and few enough that scores are hardly ever outdated.
BATCH = 1 << 17
_BLOCK = 1 << 20  # words whose bigrams are counted at once


@dataclass(frozen=True)
class ClusterSettings:
    """The settings of word clustering.

    Attributes:
        classes: The number of clusters.
        min_count: The lowest count of a word that gets a cluster.
        passes: The largest number of iterations over the words. Clustering ends earlier
            if no word moves.
        seed: The seed of the initial clusters. The same text and seed give the same
            clusters, with any number of threads.
        threads: The number of threads.
    """

    classes: int = 512
    min_count: int = 3
    passes: int = 12
    seed: int = 0
    threads: int = 1

    def check(self) -> None:
        """Refuse impossible settings before a text is read."""
        check_count("classes", self.classes, low=2, high=MOST_CLASSES)
        check_count("min_count", self.min_count)
        check_count("passes", self.passes)
        check_seed(self.seed)
        check_count("threads", self.threads, high=MOST_THREADS)


@dataclass(frozen=True)
class Pass:
    """The report of an iteration over the words.

    Attributes:
        number: The number of the iteration; 0 is the state before the first.
        moved: The number of words that changed their cluster.
        bits: The cross-entropy of the text in bits a word; lower is better.
        seconds: The time since the beginning.
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
        counts: The count of each word in the text.
        classes: The cluster of each word; the first cluster has most of the text.
        paths: The bits of each cluster.
        tokens: The number of words of the text, including those without a cluster.
    """

    words: list[str]
    counts: NDArray[np.int64]
    classes: NDArray[np.int32]
    paths: list[str]
    tokens: int

    @cached_property
    def members(self) -> list[NDArray[np.int64]]:
        """Return the numbers of the words of each cluster, the most frequent first."""
        order = np.argsort(self.classes, kind="stable")
        ends = np.cumsum(np.bincount(self.classes, minlength=len(self.paths)))
        return np.split(order, ends[:-1])

    def to_bytes(self) -> bytes:
        """Write a line for each word as Brown's program does: path, word, count."""
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
    """Cluster the words of a text."""
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
        sides=SIDES,
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


def cluster_text(path: Path, lang: str) -> WordClusters:
    """Cluster the words of a file of raw text in a language. A text with few words gets
    few clusters."""
    text, _ = read_sentences(path, tokenize=tokenizer_of(lang))
    classes = max(text.vocabulary.size // WORDS_PER_CLUSTER, 2)
    return cluster_words(text, ClusterSettings(min(ClusterSettings.classes, classes)))


def _frequent_words(
    counts: NDArray[np.int64], settings: ClusterSettings
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the words that get a cluster, the most frequent first, and the place of
    each word number in that list; the place after the last is for any other word."""
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
    """Assign words of similar frequency to different clusters, at random."""
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
    """Divide words into batches, and each batch between the threads.

    The batches themselves do not depend on the number of threads.
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
    """Renumber the clusters by their share of the text."""
    sizes = np.bincount(classes, weights=counts, minlength=n)
    place = np.empty(n, dtype=np.int32)
    place[np.argsort(-sizes, kind="stable")] = np.arange(n)
    return place[classes]


def class_bigrams(
    ids: NDArray[np.int32],
    bounds: NDArray[np.int64],
    classes: NDArray[np.int32],
    n: int,
) -> NDArray[np.int64]:
    """Count how often a cluster (column) follows another (row) within a sentence."""
    found = np.append(classes, n)
    opens = np.zeros(len(ids) + 1, dtype=bool)
    opens[bounds] = True
    table = np.zeros(n * n, dtype=np.int64)
    for start in range(0, len(ids), _BLOCK):
        here = found[ids[start : start + _BLOCK + 1]].astype(np.int64)
        left, right = here[:-1], here[1:]
        inside = ~opens[start + 1 : start + len(here)]
        known = inside & (left < n) & (right < n)
        table += np.bincount(left[known] * n + right[known], minlength=n * n)
    return table.reshape(n, n)


def bit_paths(merged: Sequence[tuple[int, int]] | NDArray[np.int32]) -> list[str]:
    """Find the path to each cluster in the tree of merges.

    Args:
        merged: Pairs of clusters in the order of merging; the second becomes part of
            the first, whose side of the tree has the bit 0.
    """
    paths = [""] * (len(merged) + 1)
    for kept, gone in reversed(np.asarray(merged).tolist()):
        paths[gone] = paths[kept] + "1"
        paths[kept] += "0"
    return paths
