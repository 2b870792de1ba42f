"""The floor of a judge: sentences of eight words or more that the training text does
not explain. The mean log probability by its n-grams is too low, as of another language,
or a word is spelled like none of the text, as in tweets.

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

_SHARE = 0.005  # of the good sentences, below the floor
_SHORTEST = 8  # words: shorter sentences say too little
_LETTERS = 3
_LONGEST = 60  # letters of a word that are read
_BACKOFF = -log(0.4)  # the cost of a shorter sequence
_MOST_COSTS = 500_000
_FEW = 20  # sentences, of which no floor is chosen

Floats = NDArray[np.float64]
Scored = tuple[Floats, Floats]


class Spelling:
    """A model of the letters of words: how often each of them follows the two before
    it, with shorter sequences where these three were never seen.

    Args:
        counts: The counts of sequences of one to three letters.
    """

    def __init__(self, counts: Mapping[str, int]):
        self.counts = dict(counts)
        self._totals: Counter[str] = Counter()
        for letters, count in counts.items():
            self._totals[letters[:-1]] += count
        self._costs: dict[int, float] = {}  # by the hash of the word
        known = [(x, n) for x, n in counts.items() if len(x) == _LETTERS]
        n_letters = sum(n for _, n in known) or 1
        self._usual = sum(n * self._cost_of(x, n) for x, n in known) / n_letters

    @classmethod
    def learn(cls, words: Mapping[str, int]) -> "Spelling":
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
        return cls({x: n for x, n in counts.items() if n > 1 or len(x) == 1})

    def _cost_of(self, letters: str, count: int) -> float:
        return log((self._totals[letters[:-1]] + 1) / count)

    def cost(self, word: str) -> float:
        """Return the negative log probability of the letters of a word, less that of as
        many letters of the text: long words are no fault."""
        letters, cost = f"^{word[:_LONGEST].lower()}$", 0.0
        for end in range(2, len(letters) + 1):
            cost -= self._usual
            for start in range(max(end - _LETTERS, 0), end):
                if count := self.counts.get(letters[start:end]):
                    cost += self._cost_of(letters[start:end], count)
                    break
                cost += _BACKOFF
            else:
                cost += log(self._totals[""] + 1)
        return cost

    def worst_of(self, rows: Iterable[Sequence[str]]) -> Floats:
        """Return the highest cost of a word in each sentence.

        Args:
            rows: The words of the sentences.
        """
        rows = list(rows)
        costs = {word: self.cost(word) for word in {word for x in rows for word in x}}
        return np.array([max(map(costs.__getitem__, x)) for x in rows])

    def worst(self, docs: Sequence[Doc], bounds: NDArray[np.int64]) -> Floats:
        """Return the same for sentences of Docs.

        Args:
            docs: The Docs.
            bounds: The first token of each sentence in all Docs, and the end.
        """
        if len(self._costs) > _MOST_COSTS:
            self._costs.clear()
        if len(bounds) < 2:
            return np.zeros(0)
        offsets = np.cumsum([0, *map(len, docs)], dtype=np.int64)
        rows, _ = token_rows(docs, [ORTH, IS_SPACE], offsets)
        words, places = np.unique(rows[:, 0], return_inverse=True)
        for orth in words.tolist():
            if orth not in self._costs:
                self._costs[orth] = self.cost(docs[0].vocab.strings[orth])
        costs = np.array([self._costs[orth] for orth in words.tolist()])
        found = np.where(rows[:, 1] == 0, costs[places], -np.inf)
        return np.maximum.reduceat(found, bounds[:-1])


@dataclass(frozen=True)
class Floor:
    """The bounds of what the text explains.

    Attributes:
        lowest: The lowest mean log probability of a sentence.
        highest: The highest cost of the spelling of a word.
        spelling: The model of spelling.
    """

    lowest: float
    highest: float
    spelling: Spelling

    @classmethod
    def fit(
        cls,
        spelling: Spelling,
        known: Sequence[Scored],
        out_of_domain: Sequence[Scored],
    ) -> "Floor":
        """Fit a floor.

        Args:
            spelling: The model of spelling of the training text.
            known: The features and the highest costs of words of held-out good
                sentences of each text.
            out_of_domain: The same by models of the other texts alone.
        """
        seen, others = _long(known), _long(out_of_domain)
        lowest = lowest_mean([x for x, _ in seen], [x for x, _ in others])
        highest = max((_highest(x) for _, x in seen), default=inf)
        if others:
            # Spelling depends less on the kind of text than words.
            mean = float(np.mean([_highest(x) for _, x in others]))
            highest = (highest + max(highest, mean)) / 2
        return cls(lowest, highest, spelling)

    def above(self, table: Floats, costs: Floats | None = None) -> NDArray[np.bool_]:
        """Return a mask of the sentences above the floor.

        Args:
            table: The features of the sentences.
            costs: The highest cost of a word in each sentence; None if all are low.
        """
        good = table[:, COLUMNS.index(MEAN)] >= self.lowest
        if costs is not None:
            good &= costs <= self.highest
        return np.asarray(good | (table[:, COLUMNS.index(WORDS)] < _SHORTEST))

    def to_dict(self) -> dict[str, Any]:
        """Return the floor as plain values, for cfg."""
        # JSON has no infinity.
        lowest, highest = max(self.lowest, -1e9), min(self.highest, 1e9)
        counts = self.spelling.counts
        return {"lowest": lowest, "highest": highest, "spelling": counts}

    @classmethod
    def from_dict(cls, saved: Any) -> "Floor":
        """Read and check the result of `to_dict`.

        Args:
            saved: The plain values.

        Raises:
            ValueError: The values are no floor.
        """
        names = ("lowest", "highest", "spelling")
        if not isinstance(saved, dict) or set(saved) != set(names):
            raise ValueError(f"it must be an object with {', '.join(names)}")
        lowest, highest, counts = (saved[name] for name in names)
        for number in (lowest, highest):
            if type(number) not in (int, float) or not isfinite(number):
                raise ValueError("lowest and highest must be finite numbers")
        if not isinstance(counts, dict) or not all(
            type(n) is int and 0 < n < 1 << 53 and 0 < len(x) <= _LETTERS
            for x, n in counts.items()
        ):
            raise ValueError("the counts of spelling must be positive integers")
        return cls(lowest, highest, Spelling(counts))


def lowest_mean(known: Sequence[Floats], out_of_domain: Sequence[Floats]) -> float:
    """Return the lowest mean log probability of good sentences; minus infinity without
    sentences. A single text says little of others: there the floor is twice as far from
    its median.

    Args:
        known: The mean log probabilities of held-out good sentences of each text.
        out_of_domain: The same by n-grams that were counted in other texts alone.
    """
    lowest = [float(np.quantile(x, _SHARE)) for x in known]
    if out_of_domain:
        others = float(np.mean([np.quantile(x, _SHARE) for x in out_of_domain]))
    else:
        far = [2 * a - np.median(x) for a, x in zip(lowest, known, strict=True)]
        others = float(min(far, default=-inf))
    return min([*lowest, others])


def _highest(costs: Floats) -> float:
    return float(np.quantile(costs, 1 - _SHARE))


def _long(texts: Sequence[Scored]) -> list[Scored]:
    """Return the mean log probabilities and the costs of long sentences of the texts
    that have enough of them."""
    words, mean = COLUMNS.index(WORDS), COLUMNS.index(MEAN)
    long = [(x[:, words] >= _SHORTEST, x[:, mean], costs) for x, costs in texts]
    return [(x[b], costs[b]) for b, x, costs in long if b.sum() >= _FEW]
