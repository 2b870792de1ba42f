"""The table of n-grams of a text that is larger than memory."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..kernels.text import (
    BEGIN,
    BEGIN_KEY,
    END,
    END_KEY,
    EVIDENCE_COUNTS,
    EvidenceTableBuilder,
    window_hashes,
)
from ..knowledge.lexicon import Lexicon
from ..knowledge.ngram_counts import (
    SMOOTHINGS,
    Alternatives,
    CountSettings,
    NgramCounts,
    refused_size,
    word_keys,
)
from .counting import CountedStatistics, CountedText, Run, TextCounting, levels_of
from .text_pieces import TextReading

Entries = tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]


def entries_of(
    run: Run, least: Sequence[int], keys: NDArray[np.uint64]
) -> list[Entries]:
    """The n-grams of a run that are kept, by length from 2 on.

    Args:
        run: The run.
        least: By length, how often an n-gram must occur.
        keys: By number, the hash of a word.
    """
    found = []
    for k, level in enumerate(levels_of(run, len(least)), 1):
        if k == 1:
            continue
        kept = level.count >= least[k - 1]
        at = level.at[kept]
        hashes = window_hashes(run[0][at], run[1][at], keys, k)
        found.append((hashes, level.count[kept], level.following[kept]))
    return found


def reading_of(
    settings: CountSettings, *, lang: str = "", field: str = "text"
) -> TextReading:
    """How a text is read that is counted with these settings."""
    folds = settings.lowercase or settings.digits
    return TextReading(lang, field, settings.fold if folds else None)


def count_ngrams(
    counting: TextCounting, paths: Sequence[str], settings: CountSettings
) -> tuple[NgramCounts, CountedText]:
    """What `NgramCounts.count` makes of these texts, and their counts.

    Args:
        counting: On a cluster.
        paths: The texts.
        settings: How to count.
    """
    settings.check()
    if "kneser-ney" in settings.smoothing:
        raise ValueError(Errors.LP768.format(smoothing=settings.smoothing))
    keys = partial(word_keys, settings=settings)
    wanted = keys if settings.sentences else None
    counted = counting.count(paths, settings.order, keys=wanted)
    counts = counted.counts.copy()
    counts[END] = counted.sentences
    following = np.zeros(len(counts), dtype=np.uint32)
    histograms = [_histogram(counts)]
    for found in counted.ranges:
        np.add.at(following, found.words, found.following)
    for k in range(settings.order - 1):
        of_ranges = [found.histograms[k] for found in counted.ranges]
        histograms.append(np.sum(of_ranges, axis=0))
    size = counted.vocabulary.size
    with refused_size(size, settings):
        table = EvidenceTableBuilder(
            [found.tolist() for found in histograms],
            counted.sentences if settings.sentences else 0,
            int(settings.megabytes * 1e6),
            smoothing=SMOOTHINGS.index(settings.smoothing),
        )
    hashes = keys(counted.vocabulary)
    hashes[BEGIN], hashes[END] = BEGIN_KEY, END_KEY
    if not counted.tokens:
        raise ValueError(Errors.LP761)
    _fill(counting, counted, table, counts, following, hashes)
    known = Alternatives.none()
    if settings.alternatives:
        lexicon = Lexicon(CountedStatistics(counting, counted))
        known = Alternatives.of(lexicon, settings.key)
    tokens, words = float(counts.sum()), float(np.count_nonzero(counts))
    tables, rest = table.finish()
    rest["totals"] = (tokens, words, 0.0, 0.0)
    return NgramCounts(settings, tables, **rest, alternatives=known), counted


def _histogram(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.bincount(
        np.minimum(counts, EVIDENCE_COUNTS - 1), minlength=EVIDENCE_COUNTS
    )


def _fill(
    counting: TextCounting,
    counted: CountedText,
    table: EvidenceTableBuilder,
    counts: NDArray[np.int64],
    following: NDArray[np.uint32],
    keys: NDArray[np.uint64],
) -> None:
    """All n-grams, by length and in the order of their words, then the sentences."""
    ray = counting.ray
    opening = counts.copy()
    opening[BEGIN] = counted.sentences
    numbers = np.flatnonzero(opening)
    shift = np.uint64(64 - 25)
    high = numbers.astype(np.uint64) << shift
    hashes = window_hashes(high, np.zeros_like(high), keys, 1)
    most = np.iinfo(np.uint32).max
    often = np.minimum(opening[numbers], most).astype(np.uint32)
    table.add(1, hashes, often, following[numbers])
    least = table.least
    task = ray.remote(_levels).options(num_returns=max(len(least) - 1, 1))
    sent = ray.put(keys)
    asked = [task.remote(run, least, sent) for run in counted.runs]
    for k in range(len(least) - 1):
        for references in asked:
            listed: Any = references if len(least) > 2 else [references]
            table.add(k + 2, *ray.get(listed[k]))
    for reference in counted.hashes:
        found = ray.get(reference)
        if found is not None:
            table.add_sentences(found)


def _levels(run: Run, least: Sequence[int], keys: NDArray[np.uint64]) -> Any:
    found = entries_of(run, least, keys)
    return found if len(found) > 1 else found[0]
