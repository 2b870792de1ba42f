"""The lexicon of a text: its words that are forms of one another, and the small words
stand in like places.

Nothing here is tied to a language. Forms of a word are words with the same beginning
whose endings come in pairs with many other words (walk, walked; talk, talked). Small
words are the most frequent ones, and two of them are like each other if the same words
stand beside them.
"""

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, groupby

import numpy as np
from numpy.typing import NDArray

from ...kernels.text import BEGIN, END, FIRST_WORD
from ...text.sentences import Sentences

SMALL_WORDS = 120
_MARKS = 8  # of punctuation, the most frequent ones
_BESIDE = 400  # words that tell places apart
_ALTERNATIVES = 8
_LEAST_COUNT = 3  # of words that have forms
_SHORTEST_STEM, _LONGEST_ENDING = 3, 4
_MOST_ENDINGS = 24  # of a stem: more are no forms of a word
_LEAST_PAIRS = 5  # words with the same two endings
_MOST_PAIRS = 150
_AT_ONCE = 20_000  # sentences


def is_mark(word: str) -> bool:
    """Return True for punctuation: a word without letters and digits."""
    return not any(char.isalnum() for char in word)


class Choices:
    """Words to choose from, with weights."""

    def __init__(self, words: Sequence[str], weights: Iterable[float]):
        self.words = list(words)
        sums = np.cumsum(np.asarray(list(weights), dtype=np.float64))
        self._ends = (sums / sums[-1]).tolist()

    def pick(self, chance: float) -> str:
        """The word at a number in [0, 1)."""
        return self.words[min(bisect(self._ends, chance), len(self.words) - 1)]


class Lexicon:
    """Words of a text.

    Args:
        text: The sentences.
        small_words: How many of the most frequent words are small words.

    Attributes:
        known: All words of the text.
        forms: Of a word, in small letters, the other forms.
        like: Of a small word, others in like places.
        small: The small words, by how frequent they are.
        marks: Those of punctuation, likewise; None where there are none.
    """

    def __init__(self, text: Sentences, *, small_words: int = SMALL_WORDS):
        vocabulary = text.vocabulary
        counts = np.zeros(vocabulary.size, dtype=np.int64)
        for part in _parts(text):
            counts += np.bincount(part.ids, minlength=len(counts))
        numbers = np.arange(FIRST_WORD, vocabulary.size)
        words = [vocabulary.word(number) for number in numbers.tolist()]
        self.known = frozenset(words)
        plain = {
            word: (number, int(counts[number]))
            for word, number in zip(words, numbers.tolist(), strict=True)
            if word.isalpha() and word.islower()
        }
        frequent = sorted(plain, key=lambda word: (-plain[word][1], word))[:small_words]
        self.small = None
        self.like: dict[str, Choices] = {}
        if frequent:
            self.small = Choices(frequent, (plain[word][1] for word in frequent))
            numbers_of = [plain[word][0] for word in frequent]
            self.like = _like(text, counts, numbers_of, frequent)
        found = zip((-counts[numbers]).tolist(), words, strict=True)
        marks = sorted(x for x in found if is_mark(x[1]))[:_MARKS]
        self.marks = None
        if marks:
            self.marks = Choices([x for _, x in marks], (1 - n for n, _ in marks))
        often = {word: x for word, x in plain.items() if x[1] >= _LEAST_COUNT}
        self.forms = _forms({w: x for w, x in often.items() if w not in self.like})


def _parts(text: Sentences) -> Iterator[Sentences]:
    """Split a text, so that arrays with a number for each word stay small."""
    for first in range(0, len(text), _AT_ONCE):
        yield text.slice(first, first + _AT_ONCE)


def _like(
    text: Sentences,
    counts: NDArray[np.int64],
    numbers: Sequence[int],
    words: Sequence[str],
) -> dict[str, Choices]:
    """Find for each small word the others in like places, by frequency."""
    beside = np.argsort(-counts, kind="stable")[:_BESIDE]
    column = np.zeros(len(counts), dtype=np.int64)  # 0: any other word
    column[beside] = np.arange(1, len(beside) + 1)
    column[BEGIN], column[END] = len(beside) + 1, len(beside) + 2
    alike = np.ones((len(numbers), len(numbers)))
    tables = np.zeros((2, len(numbers), len(beside) + 3), dtype=np.int64)
    for part in _parts(text):
        tables += _neighbours(part, numbers, column, len(beside) + 3)
    for table in tables:
        shares = table.astype(np.float64)
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1)
        alike *= np.sqrt(shares) @ np.sqrt(shares).T
    weights = alike**2 * np.sqrt(counts[list(numbers)])[None, :]
    np.fill_diagonal(weights, 0)
    found = {}
    for row, word in enumerate(words):
        best = np.argsort(-weights[row], kind="stable")[:_ALTERNATIVES]
        best = best[weights[row, best] > 0]
        if len(best):
            found[word] = Choices([words[b] for b in best], weights[row, best])
    return found


def _neighbours(
    text: Sentences, numbers: Sequence[int], column: NDArray[np.int64], width: int
) -> list[NDArray[np.int64]]:
    """Count how often words stand before and after some words.

    Returns:
        Two tables: of the words before, and of those after.
    """
    rows = len(numbers)
    place = np.full(len(column), -1)
    place[list(numbers)] = np.arange(rows)
    before, after = np.roll(text.ids, 1), np.roll(text.ids, -1)
    before[text.bounds[:-1]] = BEGIN
    after[text.bounds[1:] - 1] = END
    mine = np.flatnonzero(place[text.ids] >= 0)
    return [
        np.bincount(
            place[text.ids[mine]] * width + column[beside[mine]],
            minlength=rows * width,
        ).reshape(rows, width)
        for beside in (before, after)
    ]


def _forms(words: dict[str, tuple[int, int]]) -> dict[str, Choices]:
    """Return for each word the others with the same stem and a related ending."""
    counts = Counter(pair for _, pair in _related(words))
    ordered = sorted(counts, key=lambda pair: (-counts[pair], pair))[:_MOST_PAIRS]
    best = {pair: counts[pair] for pair in ordered if counts[pair] >= _LEAST_PAIRS}
    stems: dict[tuple[str, str], list[str]] = {pair: [] for pair in best}
    for stem, pair in _related(words):
        if pair in best:
            stems[pair].append(stem)
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for pair, n in best.items():
        for one, other in sorted([(x + pair[0], x + pair[1]) for x in stems[pair]]):
            found[one][other] = n * words[other][1] ** 0.5
            found[other][one] = n * words[one][1] ** 0.5
    return {word: Choices(list(x), x.values()) for word, x in found.items()}


def _related(words: Iterable[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each stem with two endings of words. Words with the same beginning are
    looked at together, so that few stems are in memory at a time."""
    for _, group in groupby(sorted(words), key=lambda word: word[:_SHORTEST_STEM]):
        stems: dict[str, list[str]] = defaultdict(list)
        for word in group:
            for cut in range(min(_LONGEST_ENDING, len(word) - _SHORTEST_STEM) + 1):
                at = len(word) - cut
                stems[word[:at]].append(word[at:])
        for stem, endings in stems.items():
            if 2 <= len(endings) <= _MOST_ENDINGS:
                for first, second in combinations(sorted(endings), 2):
                    # The longest common beginning is the stem.
                    if not first[:1] or first[:1] != second[:1]:
                        yield stem, (first, second)
