"""Error injection: makes sentences with errors from clean ones."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, count
from typing import NamedTuple

from ...errors.check import check_count, check_number
from ...grammaticality.rng import fractions
from ...text.sentences import Sentences
from ..evidence.lexicon import Lexicon
from .kinds import DEFAULT_SHARES, KINDS, RandomNumbers, Source, check_shares
from .marks import Edit, Mark, corrupted, token_labels, touches

_TRIES = 6  # for each error
_WORDS_PER_ERROR = 4  # short sentences get fewer errors
_AT_ONCE = 64  # random numbers
_LARGEST_SHARE = 0.999


class Corrupted(NamedTuple):
    """A sentence that may have errors.

    Attributes:
        words: The words with the errors.
        marks: The places of the errors, from left to right; empty for a clean sentence.
        original: The words of the clean sentence that it was made from.
    """

    words: list[str]
    marks: list[Mark]
    original: list[str]

    @property
    def labels(self) -> list[str]:
        """The kind of error of each token, or ""."""
        return token_labels(len(self.words), self.marks)


@dataclass(frozen=True)
class CorruptSettings:
    """Settings of the error injection.

    Attributes:
        shares: The share of each kind of error.
        most: The largest number of errors in a sentence.
        clean: The share of sentences that stay clean.
        seed: The seed of the random numbers.
    """

    shares: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_SHARES))
    most: int = 4
    clean: float = 0.0
    seed: int = 0

    def check(self) -> None:
        """Refuse invalid settings."""
        check_shares(self.shares)
        check_count("most", self.most)
        check_number("clean", self.clean, high=_LARGEST_SHARE)
        check_count("seed", self.seed, low=0, high=2**63 - 1)


class Corrupter:
    """Injects errors into sentences."""

    def __init__(self, lexicon: Lexicon, settings: CorruptSettings):
        settings.check()
        self.lexicon = lexicon
        self.settings = settings
        shares = {k: x for k, x in settings.shares.items() if x > 0}
        self._kinds = list(shares)
        sums = list(accumulate(shares.values()))
        self._ends = [x / sums[-1] for x in sums]

    def all_of(self, text: Sentences) -> Iterator[Corrupted]:
        """Yield a sentence with errors for each clean sentence of a text."""
        other: list[str] = []
        for number, words in enumerate(text):
            yield self.one(words, number, other)
            other = words

    def one(
        self, words: Sequence[str], number: int, other: Sequence[str] = ()
    ) -> Corrupted:
        """Return one sentence with errors.

        Args:
            words: The words of the clean sentence.
            number: The number of the sentence, which selects the random numbers.
            other: Another sentence, whose second half may be inserted.
        """
        random = RandomNumbers(_numbers(self.settings.seed, number))
        edits: list[Edit] = []
        if words and random.next() >= self.settings.clean:
            edits = self._edits(words, Source(self.lexicon, other), random)
        made, marks = corrupted(words, edits)
        return Corrupted(made, marks, list(words))

    def _edits(
        self, words: Sequence[str], source: Source, random: RandomNumbers
    ) -> list[Edit]:
        wanted = 1 + random.below(self.settings.most)
        wanted = max(1, min(wanted, len(words) // _WORDS_PER_ERROR))
        edits: list[Edit] = []
        done = 0
        for _ in range(_TRIES * wanted):
            fresh = KINDS[self._kind(random.next())](words, source, random)
            if fresh and not any(touches(edits, edit) for edit in fresh):
                edits += fresh
                done += 1
                if done == wanted:
                    break
        return edits

    def _kind(self, number: float) -> str:
        at = next((n for n, end in enumerate(self._ends) if number < end), -1)
        return self._kinds[at]


def _numbers(seed: int, sentence: int) -> Iterator[float]:
    for block in count():
        yield from fractions(_AT_ONCE, seed, 8, sentence, block).tolist()
