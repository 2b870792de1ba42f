"""N-grams of a text that is larger than memory, counted on a cluster.

The steps, each of them tasks of Ray; what goes from one to the next lies in its object
store, which puts on disk what memory does not hold:

1. Each piece of the text is read for its words. The driver numbers all words in the
   order in which the text has them first, as it would be on one machine.
2. Each piece is read again and its windows are counted (kernels/ngrams/windows.hh):
   a sorted run, which is cut into ranges of windows.
3. The runs of a range are merged. No two ranges share an n-gram of two words or more.

The numbers of words and the order of n-grams are then those of one machine, and so are
files that depend on them, byte for byte.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..io.progress import progress_bar
from ..kernels.text import (
    BEGIN,
    EVIDENCE_COUNTS,
    FIRST_WORD,
    MOST_WORD_NUMBERS,
    Vocabulary,
    count_windows,
    evidence_sentences,
    merge_windows,
    window_words,
)
from .text_pieces import Piece, TextReading, check_lines, cut_text
from .workers import cause_of

Run = tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint32]]

WINDOW_BYTES = 20
RANGE = 64 << 20  # bytes of windows, about
MOST_RANGES = 1024
_SAMPLE = 4096  # pairs of words of a piece


@dataclass(frozen=True)
class Words:
    """The words of a piece.

    Attributes:
        text: Their bytes, in the order in which they come,
        starts: and where each begins.
        counts: How often each occurs.
        sentences: How many sentences there are.
        tokens: How many words.
        pairs: Some words and those after them, by their numbers here.
        notes: What was noted of the lines.
    """

    text: NDArray[np.uint8]
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]
    sentences: int
    tokens: int
    pairs: NDArray[np.int32]
    notes: dict[str, int]


def read_words(reading: TextReading, piece: Piece) -> Words:
    """The words of a piece."""
    found = reading.read(piece)
    text = found.text
    if text.tags is not None:
        raise ValueError(Errors.LP851.format(path=piece.path))
    counts = np.bincount(text.ids, minlength=text.vocabulary.size).astype(np.int64)
    opens = text.ids[text.bounds[:-1]]
    pairs = np.stack(
        [
            np.concatenate([np.full(len(opens), BEGIN, np.int32), text.ids[:-1]]),
            np.concatenate([opens, text.ids[1:]]),
        ],
        axis=1,
    )
    step = max(1, len(pairs) // _SAMPLE)
    notes = {**found.notes, "sentences": len(text), "plain": int(piece.is_plain)}
    words, starts = text.vocabulary.to_arrays()
    return Words(
        words,
        starts,
        counts,
        len(text),
        len(text.ids),
        np.ascontiguousarray(pairs[::step]),
        notes,
    )


def count_piece(
    reading: TextReading,
    piece: Piece,
    numbers: NDArray[np.int32],
    order: int,
    cuts: NDArray[np.uint64],
    keys: NDArray[np.uint64] | None,
) -> list[Any]:
    """The windows of a piece.

    Args:
        reading: How it is read.
        piece: The piece.
        numbers: Those of its words in the whole text.
        order: Words in a window.
        cuts: Between the ranges of windows.
        keys: By number, the hash of a word, where sentences are wanted too.

    Returns:
        The hashes of its sentences, and a run for each range.
    """
    text = reading.read(piece).text
    ids = numbers[text.ids]
    size = int(numbers.max()) + 1
    high, low, count = count_windows(ids, text.bounds, words=size, order=order)
    ends = [0, *np.searchsorted(high, cuts).tolist(), len(high)]
    hashes = None
    if keys is not None:
        hashes = evidence_sentences(ids, text.bounds, keys)
    runs = [
        (high[i:j].copy(), low[i:j].copy(), count[i:j].copy())
        for i, j in zip(ends[:-1], ends[1:], strict=True)
    ]
    return [hashes, *runs]


@dataclass(frozen=True)
class Level:
    """The n-grams of a length in a run.

    Attributes:
        at: The first window of each.
        count: How often each occurs.
        following: How many words follow each.
    """

    at: NDArray[np.int64]
    count: NDArray[np.uint32]
    following: NDArray[np.uint32]


def levels_of(run: Run, order: int) -> list[Level]:
    """The n-grams of 1, 2, ... words in a run."""
    high, low, count = run
    n = len(high)
    fresh = np.zeros(n, dtype=bool)  # a window that begins with another n-gram
    begins = []
    inside = np.ones(n, dtype=bool)
    for place in range(order):
        words = window_words(high, low, place)
        fresh[:1] = True
        fresh[1:] |= words[1:] != words[:-1]
        if place:
            inside = words != BEGIN
        begins.append(fresh & inside)
    found = []
    for k in range(order):
        at = np.flatnonzero(begins[k])
        # Windows that end before they are so long are no part of any.
        whole = np.where(window_words(high, low, k) != BEGIN, count, 0) if k else count
        sums = _sums(whole.astype(np.uint64), at)
        following = np.zeros(len(at), dtype=np.uint64)
        if k + 1 < order:
            following = _sums(begins[k + 1].astype(np.uint64), at)
        found.append(
            Level(
                at,
                np.minimum(sums, 0xFFFFFFFF).astype(np.uint32),
                following.astype(np.uint32),
            )
        )
    return found


def _sums(values: NDArray[np.uint64], at: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Of the values from each of these places up to the next."""
    if not len(at):
        return np.zeros(0, dtype=np.uint64)
    return np.add.reduceat(values, at)


@dataclass(frozen=True)
class RangeCounts:
    """What a range of windows has.

    Attributes:
        histograms: By length from 2 on, how many n-grams occur so often.
        words: The words that its n-grams begin with,
        following: and how many different ones follow each here.
    """

    histograms: list[NDArray[np.int64]]
    words: NDArray[np.int32]
    following: NDArray[np.uint32]


def merge_range(order: int, *runs: Run) -> tuple[Run, RangeCounts]:
    """One run of those of all pieces, and what it has."""
    run = merge_windows(list(runs))
    levels = levels_of(run, order)
    histograms = [
        np.bincount(
            np.minimum(level.count, EVIDENCE_COUNTS - 1), minlength=EVIDENCE_COUNTS
        )
        for level in levels[1:]
    ]
    first = levels[0]
    words = window_words(run[0][first.at], run[1][first.at], 0)
    return run, RangeCounts(histograms, words, first.following)


def pairs_of(
    run: Run,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint32]]:
    """The pairs of words in a run, and how often each occurs."""
    level = levels_of(run, 2)[1]
    high, low = run[0][level.at], run[1][level.at]
    return window_words(high, low, 0), window_words(high, low, 1), level.count


@dataclass(eq=False)
class CountedText:
    """A text whose windows are counted.

    Attributes:
        vocabulary: Its words.
        counts: By number, how often each occurs.
        sentences: How many sentences it has.
        tokens: How many words.
        runs: References to the windows, range by range.
        ranges: What these have.
        hashes: References to the hashes of the sentences, piece by piece.
        notes: What was noted of the lines of each file.
    """

    vocabulary: Vocabulary
    counts: NDArray[np.int64]
    sentences: int
    tokens: int
    runs: list[Any]
    ranges: list[RangeCounts]
    hashes: list[Any]
    notes: list[tuple[str, dict[str, int]]]


class TextCounting:
    """Counts texts on a cluster.

    Args:
        ray: The module, connected.
        reading: How texts are read.
        quiet: Show no progress.
        piece: Bytes of a piece of text.
        range_bytes: Of the windows of a range.
    """

    def __init__(
        self,
        ray: Any,
        reading: TextReading,
        *,
        quiet: bool = True,
        piece: int = 0,
        range_bytes: int = RANGE,
    ):
        self.ray = ray
        self._reading = reading
        self._quiet = quiet
        self._piece = piece
        self._range = range_bytes

    def count(
        self,
        paths: Sequence[str],
        order: int,
        *,
        keys: Any = None,
    ) -> CountedText:
        """Count the windows of texts.

        Args:
            paths: The files.
            order: Words in a window.
            keys: Makes the hash of each word, by number, of a vocabulary; None: the
                hashes of sentences are not wanted.
        """
        pieces = cut_text(paths, size=self._piece) if self._piece else cut_text(paths)
        vocabulary, numbers, counts = Vocabulary(), [], np.zeros(0, dtype=np.int64)
        pairs, notes, sentences, tokens = [], [], 0, 0
        for found in self._read(pieces):  # each is let go when it has been added
            own = vocabulary.extend(found.text, found.starts)
            own = np.concatenate([np.arange(FIRST_WORD, dtype=np.int32), own])
            if vocabulary.size > MOST_WORD_NUMBERS:
                most = MOST_WORD_NUMBERS
                raise ValueError(Errors.LP852.format(words=vocabulary.size, most=most))
            counts = np.pad(counts, (0, vocabulary.size - len(counts)))
            np.add.at(counts, own, found.counts)
            numbers.append(own)
            pairs.append(own[found.pairs])
            notes.append(found.notes)
            sentences += found.sentences
            tokens += found.tokens
        check_lines(pieces, notes)
        cuts = self._cuts(pairs, tokens + 2 * sentences)
        hashed = self.ray.put(keys(vocabulary)) if keys else None
        counted = self._count(pieces, numbers, order, cuts, hashed)
        runs, ranges = self._merge(order, [refs[1:] for refs in counted])
        hashes = [refs[0] for refs in counted]
        noted = [(x.path, y) for x, y in zip(pieces, notes, strict=True)]
        return CountedText(
            vocabulary, counts, sentences, tokens, runs, ranges, hashes, noted
        )

    def _read(self, pieces: Sequence[Piece]) -> Iterator[Words]:
        task = self.ray.remote(read_words)
        try:
            yield from self._each(
                [task.remote(self._reading, piece) for piece in pieces], "pieces read"
            )
        except self.ray.exceptions.RayTaskError as error:
            cause = getattr(error, "cause", None)
            if isinstance(cause, (ValueError, OSError)):
                raise cause from None
            raise RuntimeError(cause_of(error)) from error

    def _cuts(self, pairs: Sequence[NDArray[np.int32]], windows: int) -> NDArray:
        """Between ranges of about equal size: windows that begin with some pair."""
        n = min(-(-windows * WINDOW_BYTES // self._range), MOST_RANGES)
        every = np.concatenate(pairs)
        if n < 2 or not len(every):
            return np.zeros(0, dtype=np.uint64)
        shift = 64 - 2 * 25
        keys = every[:, 0].astype(np.uint64) << np.uint64(25)
        keys = np.sort((keys | every[:, 1].astype(np.uint64)) << np.uint64(shift))
        return np.unique(keys[len(keys) * np.arange(1, n) // n])

    def _count(
        self,
        pieces: Sequence[Piece],
        numbers: Sequence[NDArray[np.int32]],
        order: int,
        cuts: NDArray,
        keys: Any,
    ) -> list[list[Any]]:
        task = self.ray.remote(count_piece).options(num_returns=len(cuts) + 2)
        asked = [
            task.remote(self._reading, piece, own, order, cuts, keys)
            for piece, own in zip(pieces, numbers, strict=True)
        ]
        for _ in self._each([refs[0] for refs in asked], "pieces counted", get=False):
            pass
        return asked

    def _merge(
        self, order: int, counted: Sequence[Sequence[Any]]
    ) -> tuple[list[Any], list[RangeCounts]]:
        task = self.ray.remote(merge_range).options(num_returns=2)
        asked = [task.remote(order, *runs) for runs in zip(*counted, strict=True)]
        found = list(self._each([refs[1] for refs in asked], "ranges merged"))
        return [refs[0] for refs in asked], found

    def _each(
        self, references: Sequence[Any], unit: str, *, get: bool = True
    ) -> Iterator[Any]:
        """What these are, in order."""
        left = list(reversed(references))  # what was used is let go
        del references
        with progress_bar(unit, total=len(left), quiet=self._quiet) as told:
            while left:
                reference = left.pop()
                if get:
                    yield self.ray.get(reference)
                else:
                    self.ray.wait([reference], fetch_local=False)
                    yield None
                told(1)

    def of_ranges(self, task: Any, counted: CountedText, *given: Any) -> Iterator[Any]:
        """What a function makes of the run of each range, in order."""
        remote = self.ray.remote(task)
        yield from self._each(
            [remote.remote(run, *given) for run in counted.runs], "ranges"
        )


def neighbour_tables(
    run: Run, place: NDArray[np.int64], column: NDArray[np.int64], width: int
) -> NDArray[np.int64]:
    """How often words stand before and after others in a run.

    Args:
        run: The run.
        place: By word number, the row of those others; -1 for the rest.
        column: By word number, where a neighbour counts.
        width: How many columns there are.

    Returns:
        Two tables: [2, rows, columns].
    """
    left, right, count = pairs_of(run)
    rows = int(place.max(initial=-1)) + 1
    tables = []
    for word, beside in ((right, left), (left, right)):
        mine = place[word] >= 0
        cells = place[word[mine]] * width + column[beside[mine]]
        sums = np.bincount(cells, weights=count[mine], minlength=rows * width)
        tables.append(sums.astype(np.int64).reshape(rows, width))
    return np.stack(tables)


class CountedStatistics:
    """What a lexicon asks of a text, from its counts.

    Args:
        counting: Whoever counted it.
        counted: The text.
    """

    def __init__(self, counting: TextCounting, counted: CountedText):
        self.vocabulary = counted.vocabulary
        self.counts = counted.counts
        self.tags: NDArray[np.int64] | None = None
        self._counting, self._counted = counting, counted

    def neighbours(
        self, numbers: Sequence[int], column: NDArray[np.int64], width: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """See Statistics."""
        ray = self._counting.ray
        place = np.full(len(self.counts), -1)
        place[list(numbers)] = np.arange(len(numbers))
        tables = np.zeros((2, len(numbers), width), dtype=np.int64)
        for found in self._counting.of_ranges(
            neighbour_tables, self._counted, ray.put(place), ray.put(column), width
        ):
            tables += found
        return tables[0], tables[1]
