"""The floor of a judge: sentences of eight words or more that the training text does
not explain. The mean log probability by its n-grams is too low, as of another language,
or a word is spelled like none of the text, as in tweets and boilerplate.

Text of another kind is less probable, though it is good. If there are several texts,
each is scored by n-grams of the others, and the mean of their floors is used. A single
text says little of others: there the floor is twice as far from its median.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import ORTH
from spacy.tokens import Doc

from .sentence_features import COLUMNS, MEAN, WORDS

_SHARE = 0.005  # of the good sentences, below the floor
_SHORTEST = 8  # words: shorter sentences say too little
_LETTERS = 3
_LONGEST = 60  # letters of a word that are read
_BACKOFF = -log(0.4)  # the cost of a shorter sequence
_MOST_COSTS = 500_000
_FEW = 20  # sentences, of which no floor is chosen

Floats = NDArray[np.float64]


class Spelling:
    """A model of the letters of words: how often each sequence of three letters follows
    the two before it, with shorter sequences where it was never seen.

    Args:
        counts: The counts of sequences of one to three letters.
    """

    def __init__(self, counts: Mapping[str, int]):
        self.counts = dict(counts)
        self._totals: Counter[str] = Counter()
        for letters, count in counts.items():
            self._totals[letters[:-1]] += count
        self._costs: dict[int, float] = {}  # by the hash of the word

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

    def cost(self, word: str) -> float:
        """Return the negative log probability of the letters of a word."""
        letters, cost = f"^{word[:_LONGEST].lower()}$", 0.0
        for end in range(2, len(letters) + 1):
            for start in range(max(end - _LETTERS, 0), end):
                if count := self.counts.get(letters[start:end]):
                    cost -= log(count / (self._totals[letters[start : end - 1]] + 1))
                    break
                cost += _BACKOFF
            else:
                cost += log(self._totals[""] + 1)
        return cost

    def worst(self, docs: Sequence[Doc], bounds: NDArray[np.int64]) -> Floats:
        """Return the highest cost of a word in each sentence.

        Args:
            docs: The Docs.
            bounds: The first token of each sentence in all Docs, and the end.
        """
        costs = self._costs
        if len(costs) > _MOST_COSTS:
            costs.clear()
        found = [0.0]
        for doc in docs:
            for orth in doc.to_array(ORTH).tolist():
                if orth not in costs:
                    word = doc.vocab.strings[orth]
                    costs[orth] = 0.0 if word.isspace() else self.cost(word)
                found.append(costs[orth])
        starts = bounds[:-1] + 1
        return (
            np.maximum.reduceat(np.array(found), starts) if len(starts) else np.zeros(0)
        )


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
        words: Mapping[str, int],
        good: Iterable[Iterable[Sequence[str]]],
        known: Sequence[Floats],
        strange: Sequence[Floats],
    ) -> "Floor":
        """Fit a floor.

        Args:
            words: The count of each word of the training text.
            good: Held-out good sentences of each text.
            known: The features of held-out good sentences of each text.
            strange: The same, of n-grams that were counted in other texts alone.
        """
        spelling = Spelling.learn(words)
        costs = [
            [max(map(spelling.cost, x)) for x in text if len(x) >= _SHORTEST]
            for text in good
        ]
        # Spelling depends less on the kind of text than words.
        known_costs = [np.quantile(x, 1 - _SHARE) for x in costs if len(x) >= _FEW]
        highest = float(max(known_costs, default=inf))
        return cls(lowest_mean(_means(known), _means(strange)), highest, spelling)

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


def lowest_mean(known: Sequence[Floats], strange: Sequence[Floats]) -> float:
    """Return the lowest mean log probability of good sentences; minus infinity if there
    are too few sentences.

    Args:
        known: The mean log probabilities of held-out good sentences of each text.
        strange: The same, of n-grams that were counted in other texts alone.
    """
    known, strange = ([x for x in some if len(x) >= _FEW] for some in (known, strange))
    lowest = [float(np.quantile(x, _SHARE)) for x in known]
    if strange:
        others = float(np.mean([np.quantile(x, _SHARE) for x in strange]))
    else:
        far = [2 * a - np.median(x) for a, x in zip(lowest, known, strict=True)]
        others = float(min(far, default=-inf))
    return min([*lowest, others])


def _means(tables: Sequence[Floats]) -> list[Floats]:
    words, mean = COLUMNS.index(WORDS), COLUMNS.index(MEAN)
    return [x[x[:, words] >= _SHORTEST, mean] for x in tables]
