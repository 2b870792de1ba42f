"""The floor of a judge: sentences of eight words or more that the training text does
not explain. Their words are too rare, as in another language, words are spelled like
none of the text, as in tweets, or the n-grams are too improbable, as in menus.

Text of another kind is less probable, though it is good. If there are several texts,
each is also scored by models of the others.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import IS_SPACE, ORTH
from spacy.tokens import Doc

from ..pipeline.doc_reader import token_rows
from .sentence_features import COLUMNS, MEAN, WORDS

# The share of good sentences of any text that may be below the floor by the frequency
# of their words, by their spelling, and by n-grams.
_SHARES = 0.005, 0.015, 0.0125
LONG = 8  # words: shorter sentences say too little
_LETTERS = 3
_LONGEST = 60  # letters of a word that are read
_BACKOFF = -log(0.4)  # the cost of a shorter sequence
_STRANGE = 15.0  # the cost of the letters of a word that is like none of the text
_UNKNOWN = 0.5  # the count of an unknown word
_MOST_WORDS = 25_000
_MOST_COSTS = 500_000
_FEW = 20  # sentences, of which no floor is chosen

Floats = NDArray[np.float64]
Scored = tuple[Floats, Floats]
Costs = tuple[float, float, bool]


class WordModel:
    """A model of the words of a text: the counts of the frequent ones, and how often
    each letter follows the two before it, with shorter sequences where these three were
    never seen.

    Args:
        words: The counts of words in lower case.
        counts: The counts of sequences of one to three letters.
    """

    def __init__(self, words: Mapping[str, int], counts: Mapping[str, int]):
        self.words, self.counts = dict(words), dict(counts)
        self._n_words = sum(words.values()) + 1
        self._unknown = log(self._n_words / _UNKNOWN)
        totals: Counter[str] = Counter()
        for letters, count in counts.items():
            totals[letters[:-1]] += count
        self._costs = {x: log((totals[x[:-1]] + 1) / n) for x, n in counts.items()}
        self._new_letter = log(totals[""] + 1)
        known = {x: n for x, n in counts.items() if len(x) == _LETTERS}
        n_letters = sum(known.values()) or 1
        self._usual = sum(n * self._costs[x] for x, n in known.items()) / n_letters
        self._known: dict[int, Costs] = {}  # by the hash of the word

    @classmethod
    def learn(cls, words: Mapping[str, int]) -> "WordModel":
        """Learn from words.

        Args:
            words: The count of each word in a text.
        """
        counts: Counter[str] = Counter()
        for word, count in words.items():
            letters = f"^{word.lower()}$"
            for end in range(2, len(letters) + 1):
                for start in range(max(end - _LETTERS, 0), end):
                    # A frequent word does not drown the others.
                    counts[letters[start:end]] += count.bit_length()
        frequent = lower_counts(words).most_common(_MOST_WORDS)
        kept = {x: n for x, n in counts.items() if n > 1 or len(x) == 1}
        return cls(dict(frequent), kept)

    def cost(self, word: str) -> float:
        """Return the negative log probability of the letters of a word, less that of as
        many letters of the text: long words are no fault."""
        letters, cost = f"^{word[:_LONGEST].lower()}$", 0.0
        for end in range(2, len(letters) + 1):
            cost -= self._usual
            for start in range(max(end - _LETTERS, 0), end):
                if found := self._costs.get(letters[start:end]):
                    cost += found
                    break
                cost += _BACKOFF
            else:
                cost += self._new_letter
        return cost

    def costs(self, word: str) -> Costs:
        """Return the negative log probability of a word, the cost of its letters above
        that of a strange word (0 of a frequent one), and True. Numbers and punctuation
        marks have neither, and False."""
        if count := self.words.get(word.lower()):
            return log(self._n_words / count), 0.0, True
        if not is_word(word):
            return 0.0, 0.0, False
        return self._unknown, max(self.cost(word) - _STRANGE, 0.0), True

    def costs_of(self, rows: Iterable[Sequence[str]]) -> Floats:
        """Return the mean costs of the words of each sentence, [sentences, 2]."""
        rows = list(rows)
        known = {word: self.costs(word) for word in {word for x in rows for word in x}}
        costs = np.array([known[word] for x in rows for word in x]).reshape(-1, 3)
        return _means(costs, np.cumsum([0, *map(len, rows)]))

    def costs_in(self, docs: Sequence[Doc], bounds: NDArray[np.int64]) -> Floats:
        """Return the same for sentences of Docs."""
        if len(self._known) > _MOST_COSTS:
            self._known.clear()
        if len(bounds) < 2:
            return np.zeros((0, 2))
        offsets = np.cumsum([0, *map(len, docs)], dtype=np.int64)
        rows, _ = token_rows(docs, [ORTH, IS_SPACE], offsets)
        words, places = np.unique(rows[:, 0], return_inverse=True)
        for orth in words.tolist():
            if orth not in self._known:
                self._known[orth] = self.costs(docs[0].vocab.strings[orth])
        costs = np.array([self._known[orth] for orth in words.tolist()])[places]
        costs[rows[:, 1] != 0] = 0.0
        return _means(costs, bounds)


def is_word(word: str) -> bool:
    """True for words, not for numbers and punctuation marks."""
    return any(map(str.isalpha, word))


def lower_counts(words: Mapping[str, int]) -> Counter[str]:
    """Count words in lower case."""
    counts: Counter[str] = Counter()
    for word, count in words.items():
        if is_word(word):
            counts[word.lower()] += count
    return counts


def _means(costs: Floats, bounds: NDArray[np.int64]) -> Floats:
    """Return the mean costs of each sentence over its words."""
    sums = np.add.reduceat(costs, bounds[:-1]) if len(costs) else np.zeros((0, 3))
    return sums[:, :2] / np.maximum(sums[:, 2:], 1)


@dataclass(frozen=True)
class Floor:
    """The bounds of what the text explains."""

    highest: tuple[float, ...]
    words: WordModel

    @classmethod
    def fit(
        cls,
        words: WordModel,
        known: Sequence[Scored],
        out_of_domain: Sequence[Scored],
    ) -> "Floor":
        """Fit a floor. A single text says little of others: there the bounds are twice
        as far from its medians.

        Args:
            words: The model of words of the training text.
            known: The features and the costs of held-out good sentences of each text.
            out_of_domain: The same by models of the other texts alone.
        """
        highest = [np.full(len(_SHARES), -inf)]
        for table, costs in (*known, *out_of_domain):
            long = table[:, COLUMNS.index(WORDS)] >= LONG
            if long.sum() >= _FEW:
                found = _with_ngrams(table, costs)[long].T
                bound = np.array([*map(np.quantile, found, 1 - np.array(_SHARES))])
                if not out_of_domain:
                    bound = 2 * bound - np.median(found, axis=1)
                highest.append(bound)
        most = np.max(highest, axis=0)
        return cls(tuple(np.where(np.isfinite(most), most, inf).tolist()), words)

    def above(self, table: Floats, costs: Floats) -> NDArray[np.bool_]:
        """Return a mask of the sentences above the floor."""
        good = (_with_ngrams(table, costs) <= self.highest).all(axis=1)
        return np.asarray(good | (table[:, COLUMNS.index(WORDS)] < LONG))

    def to_dict(self) -> dict[str, Any]:
        """Return the floor as plain values, for cfg."""
        highest = [min(x, 1e9) for x in self.highest]  # JSON has no infinity
        words, letters = self.words.words, self.words.counts
        return {"highest": highest, "words": words, "letters": letters}

    @classmethod
    def from_dict(cls, saved: Any) -> "Floor":
        """Read and check the result of `to_dict`."""
        names = ("highest", "words", "letters")
        if not isinstance(saved, dict) or set(saved) != set(names):
            raise ValueError(f"it must be an object with {', '.join(names)}")
        highest, words, letters = (saved[name] for name in names)
        numbers = highest if isinstance(highest, list) else []
        known = [x for x in numbers if type(x) in (int, float) and isfinite(x)]
        if not len(known) == len(numbers) == len(_SHARES):
            raise ValueError(f"highest must be {len(_SHARES)} finite numbers")
        for counts in (words, letters):
            if not isinstance(counts, dict) or not all(
                type(n) is int and 0 < n < 1 << 53 and x for x, n in counts.items()
            ):
                raise ValueError("the counts of words must be positive integers")
        if any(len(x) > _LETTERS for x in letters):
            raise ValueError(f"letters must be sequences of at most {_LETTERS}")
        return cls(tuple(known), WordModel(words, letters))


def _with_ngrams(table: Floats, costs: Floats) -> Floats:
    return np.column_stack([costs, -table[:, COLUMNS.index(MEAN)]])
