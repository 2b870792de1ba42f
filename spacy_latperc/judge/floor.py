"""The floor of a judge: the lowest mean log probability of a sentence by n-grams of the
training text, and the highest cost of the spelling of a word. The training text does
not explain sentences beyond them.

Text of another kind is less probable, though it is good. If there are several texts,
each is scored by n-grams of the others, and the mean of their floors is used. A single
text says little of others: there the floor is twice as far from its median.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import ORTH
from spacy.tokens import Doc

_SHARE = 0.005  # of the good sentences, below the floor
_LETTERS = 3
_LONGEST = 60  # letters of a word that are read
_BACKOFF = -log(0.4)  # the cost of a shorter sequence
_MOST_COSTS = 500_000
_FEW = 20  # sentences, of which no floor is chosen

Floats = NDArray[np.float64]


def choose_floor(known: Sequence[Floats], strange: Sequence[Floats]) -> float | None:
    """Return the lowest mean log probability of good sentences; None if there are too
    few sentences.

    Args:
        known: The mean log probabilities of held-out good sentences of each text.
        strange: The same, of n-grams that were counted in other texts alone.
    """
    known, strange = ([x for x in some if len(x) >= _FEW] for some in (known, strange))
    if not known:
        return None
    lowest = [float(np.quantile(x, _SHARE)) for x in known]
    if strange:
        others = float(np.mean([np.quantile(x, _SHARE) for x in strange]))
    else:
        others = min(
            2 * low - float(np.median(x)) for low, x in zip(lowest, known, strict=True)
        )
    return min(*lowest, others)


def highest_cost(costs: Sequence[Sequence[float]]) -> float | None:
    """Return the highest cost of the spelling of a word in a good sentence; None if
    there are too few sentences. Spelling depends less on the kind of text than words.

    Args:
        costs: The highest cost in each held-out good sentence of each text.
    """
    known = [np.quantile(x, 1 - _SHARE) for x in costs if len(x) >= _FEW]
    return float(max(known)) if known else None


def check_floor(saved: Any) -> None:
    """Raise an error unless `saved` is a floor: a finite number, or None."""
    if saved is not None and (
        isinstance(saved, bool)
        or not isinstance(saved, int | float)
        or not np.isfinite(saved)
    ):
        raise ValueError("floor must be a finite number or null")


class Spelling:
    """A model of the letters of words: how often each sequence of three letters follows
    the two before it, with shorter sequences where it was never seen.

    Args:
        counts: The counts of sequences of one to three letters.
        highest: The highest cost of a word in a sentence above the floor.
    """

    def __init__(self, counts: Mapping[str, int], highest: float):
        self.counts, self.highest = dict(counts), highest
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
        return cls({x: n for x, n in counts.items() if n > 1 or len(x) == 1}, np.inf)

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

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain values, for cfg."""
        return {"counts": self.counts, "highest": self.highest}


def check_spelling(saved: Any) -> None:
    """Raise an error unless `saved` is the result of `Spelling.to_dict`."""
    if not isinstance(saved, dict) or set(saved) != {"counts", "highest"}:
        raise ValueError("spelling must be an object with counts and highest")
    counts = saved["counts"]
    if not isinstance(counts, dict) or not all(
        type(n) is int and 0 < n < 1 << 53 and 0 < len(x) <= _LETTERS
        for x, n in counts.items()
    ):
        raise ValueError("the counts of spelling must be positive integers")
    check_floor(saved["highest"])
