"""Counts of n-grams in hash tables small enough to be part of a model, with Kneser-Ney
probabilities (Chen and Goodman 1998).

Counts are exact up to 127 and within 7 per cent above; log probabilities are within
0.075. An n-gram that does not occur in the text matches another one about once in a
million times.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...errors.check import check_count, check_number
from ...kernels.chains import text_hash
from ...kernels.text import (
    FIRST_WORD,
    MAX_ORDER,
    Vocabulary,
    count_evidence,
    evidence_marks,
    read_evidence,
)
from ...text.sentences import Sentences
from .text_source import TextTables

LEAST_MEGABYTES = 0.001
LARGEST = 1e12  # words of a text
_LARGE = 1 << 17  # slots of tables that do not fit the cache of the processor
_KINDS = {
    "slots": np.uint32,
    "plain": np.uint32,
    "adjusted": np.uint8,
    "total": np.uint16,
    "rest": np.uint16,
}

# The cost of counting per word: 16 M words with 5-grams take 3.1 s.
_SECONDS, _BYTES = 4e-8, 8

Keys = NDArray[np.uint64]
Bounds = NDArray[np.int64]


@dataclass(frozen=True)
class CountSettings:
    """The settings of counting.

    Attributes:
        order: The length of the longest n-grams.
        megabytes: The largest size of the tables: the rarest n-grams are pruned until
            they fit.
    """

    order: int = 5
    megabytes: float = 40.0

    def check(self) -> None:
        """Raise an error if a setting is out of range."""
        look = "5 reads four previous words"
        check_count("order", self.order, low=2, high=MAX_ORDER, hint=look)
        check_number("megabytes", self.megabytes, low=LEAST_MEGABYTES, high=16_000)


def _word_keys(vocabulary: Vocabulary) -> Keys:
    """The hash of each word, by its number."""
    keys = np.zeros(vocabulary.size, dtype=np.uint64)
    for number in range(FIRST_WORD, vocabulary.size):
        keys[number] = text_hash(vocabulary.word(number))
    return keys


def estimate_counting(text: Sentences, settings: CountSettings) -> str:
    """Estimate the time and the memory that counting a text takes beside the text."""
    n = len(text.ids) + 2 * len(text)
    seconds, megabytes = n * _SECONDS * settings.order, n * _BYTES / 1e6
    return f"about {seconds:.0f} s and {megabytes + settings.megabytes:.0f} MB"


@dataclass(frozen=True, eq=False)
class NgramCounts(TextTables):
    """The counts of a text.

    Attributes:
        settings: The settings of counting.
        tables: By name: `slots` (fingerprints of n-grams with counts), the parallel
            tables `adjusted`, `total` and `rest` (see evidence_table.hh), and `plain`
            (fingerprints of the longest n-grams, with counts). They
            may be mapped from a file.
        least: By length: rarer n-grams are pruned.
        discounts: By length: the discount of Kneser-Ney.
        totals: The number of tokens, including ends of sentences; of different words;
            the sum of the adjusted counts of words, and the part of it that all words
            share.
        steps: The largest distance of an n-gram from its slot, in `slots` and `plain`.
    """

    kind = "n-gram counts"

    settings: CountSettings
    tables: Mapping[str, NDArray]
    least: Sequence[int]
    discounts: Sequence[float]
    totals: Sequence[float]
    steps: Sequence[int]

    @classmethod
    def count(cls, text: Sentences, settings: CountSettings) -> "NgramCounts":
        """Count the n-grams of a text."""
        settings.check()
        size = text.vocabulary.size
        try:
            found = count_evidence(
                text.ids,
                text.bounds,
                _word_keys(text.vocabulary),
                order=settings.order,
                most=int(settings.megabytes * 1e6),
            )
        except ValueError as error:
            message = Errors.LP760.format(words=size, megabytes=settings.megabytes)
            raise ValueError(message) from error
        if found is None:
            raise ValueError(Errors.LP761)
        tables, rest = found
        return cls(settings, tables, **rest)

    def look_up(self, keys: Keys, bounds: Bounds) -> dict[str, NDArray]:
        """Look up the tokens of sentences.

        Returns:
            By name, an array with a number for each token: `left` and `right`, the
            lengths of the longest known n-grams that end and begin here; `prob`,
            `next` and `gap`, the log probability of the word, of the following word
            (or end), and of the following word if this one were missing; `count`,
            `pair` and `middle`, the counts of the word, of the word after the previous
            one, and of the word between both neighbours.
        """
        return read_evidence(
            self.tables,
            keys,
            bounds,
            least=self.least,
            discounts=self.discounts,
            totals=self.totals,
            steps=self.steps,
            marks=self._marks,
        )

    @cached_property
    def _marks(self) -> NDArray[np.uint8] | None:
        """A filter of missing n-grams for large tables (0.26 us a token with it, 0.53
        without); None for small ones."""
        if len(self.tables["slots"]) + len(self.tables["plain"]) < _LARGE:
            return None
        return evidence_marks(self.tables)

    def key(self, word: str) -> int:
        """See TextTables."""
        return text_hash(word)

    @property
    def tokens(self) -> float:  # type: ignore[override]
        """The number of tokens of the text, including ends of sentences."""
        return self.totals[0]

    @property
    def entries(self) -> int:
        """The number of n-grams in the tables."""
        return sum(int(np.count_nonzero(self.tables[x])) for x in ("slots", "plain"))

    # Saving ---------------------------------------------------------------------------

    @property
    def header(self) -> dict[str, Any]:
        """See TextTables."""
        return {
            "settings": vars(self.settings),
            "least": list(self.least),
            "discounts": list(self.discounts),
            "totals": list(self.totals),
            "steps": list(self.steps),
        }

    @property
    def arrays(self) -> Mapping[str, NDArray]:
        """See TextTables."""
        return self.tables

    @classmethod
    def checked(
        cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray]
    ) -> "NgramCounts":
        """See TextTables."""
        settings = CountSettings(**header["settings"])
        settings.check()
        tables = {name: arrays[name] for name in _KINDS}
        for name, table in tables.items():
            if table.dtype != _KINDS[name]:
                raise ValueError("the tables have other numbers")
            if table.ndim != 1 or not 8 <= len(table) < 1 << 32:
                raise ValueError("the tables have another form")
            if name != "plain" and len(table) != len(tables["slots"]):
                raise ValueError("the tables have different forms")
        least = [int(x) for x in header["least"]]
        discounts = [float(x) for x in header["discounts"]]
        if not len(least) == len(discounts) == settings.order:
            raise ValueError("its lengths are not those of its n-grams")
        if min(least) < 1 or max(least) >= 1 << 32:
            raise ValueError("a lowest count is out of range")
        totals = [float(x) for x in header["totals"]]
        tokens, words, total, rest = totals
        if not (0 <= words <= tokens <= LARGEST and 0 <= rest <= total <= LARGEST):
            raise ValueError("the numbers of words are out of range")
        if not all(0 < x <= 1 for x in discounts):
            raise ValueError("a discount is out of range")
        steps = [int(x) for x in header["steps"]]
        if len(steps) != 2 or not all(0 <= x <= LARGEST for x in steps):
            raise ValueError("a number of steps is out of range")
        return cls(settings, tables, least, discounts, totals, steps)
