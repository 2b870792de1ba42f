"""Sentences with errors, of clean ones."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...errors import Errors
from ...errors.check import check_count, refusal
from ...grammaticality.rng import fractions
from ...text.sentences import Sentences
from ..evidence.lexicon import Lexicon
from .kinds import (
    DEFAULT_SHARES,
    FIRST_ONLY,
    KINDS,
    Chances,
    Sources,
    check_shares,
)
from .marks import Edit, Mark, corrupted, token_labels, touches

_TRIES = 6  # for each error
_WORDS_OF_AN_ERROR = 4  # a sentence has no more errors than fit
_NUMBERS = 64  # random ones that are made at a time


class Corrupted(NamedTuple):
    """A sentence that may have errors.

    Attributes:
        words: As they are now.
        marks: Where what was changed, from left to right; empty: a clean sentence.
        original: The sentences that it was made from.
    """

    words: list[str]
    marks: list[Mark]
    original: list[list[str]]

    @property
    def labels(self) -> list[str]:
        """What is wrong with each token; empty for nothing."""
        return token_labels(len(self.words), self.marks, FIRST_ONLY)


@dataclass(frozen=True)
class CorruptSettings:
    """How errors are made.

    Attributes:
        shares: Of the kinds of errors.
        fewest: Errors of a sentence, at least.
        most: Errors of a sentence, at most.
        clean: The share of sentences that stay as they are.
        seed: The same one gives the same errors.
    """

    shares: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_SHARES))
    fewest: int = 1
    most: int = 4
    clean: float = 0.0
    seed: int = 0

    def check(self) -> None:
        """Refuse what cannot be."""
        check_shares(self.shares)
        if not 1 <= self.fewest <= self.most:
            raise ValueError(
                Errors.LP415.format(
                    what="errors per sentence", low=self.fewest, high=self.most
                )
            )
        if not 0 <= self.clean < 1:
            raise refusal(Errors.LP015, "clean", self.clean, range="from 0 to below 1")
        check_count("seed", self.seed, low=0, high=2**63 - 1)


class Corrupter:
    """Puts errors into sentences.

    Args:
        lexicon: Of a text of the same language.
        settings: How.
        foreign: Words of another language, for errors of that kind.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        settings: CorruptSettings,
        *,
        foreign: Sequence[str] = (),
    ):
        settings.check()
        self.lexicon = lexicon
        self.settings = settings
        self.foreign = list(foreign)
        shares = {k: x for k, x in settings.shares.items() if x > 0}
        if shares.keys() == {"foreign"} and not foreign:
            raise ValueError(Errors.LP493)
        self._kinds = list(shares)
        total = sum(shares.values())
        self._ends = [
            sum(list(shares.values())[: n + 1]) / total for n in range(len(shares))
        ]

    def all_of(self, text: Sentences) -> Iterator[Corrupted]:
        """A sentence with errors for each of a text, in order; at times the clean one.

        Args:
            text: The clean sentences.
        """
        other: list[str] = []
        for number, words in enumerate(text):
            yield self.one(words, number, other)
            other = words

    def one(
        self, words: Sequence[str], number: int, other: Sequence[str] = ()
    ) -> Corrupted:
        """One sentence with errors.

        Args:
            words: Of the clean sentence.
            number: Of the sentence: another number, other errors.
            other: Another sentence, of which a half may be put in.
        """
        chances = Chances(_numbers(self.settings.seed, number))
        edits: list[Edit] = []
        if words and chances.next() >= self.settings.clean:
            edits = self._edits(words, other, chances)
        made, marks = corrupted(words, edits)
        halves = any(edit.kind == "halves" for edit in edits)
        original = [list(words), list(other)] if halves else [list(words)]
        return Corrupted(made, marks, original)

    def _edits(
        self, words: Sequence[str], other: Sequence[str], chances: Chances
    ) -> list[Edit]:
        low, high = self.settings.fewest, self.settings.most
        wanted = low + chances.below(high - low + 1)
        wanted = max(1, min(wanted, len(words) // _WORDS_OF_AN_ERROR))
        sources = Sources(self.lexicon, other, self.foreign)
        edits: list[Edit] = []
        done = 0
        for _ in range(_TRIES * wanted):
            fresh = KINDS[self._kind(chances.next())](words, sources, chances)
            if fresh and not any(touches(edits, edit) for edit in fresh):
                edits += fresh
                done += 1
                if done == wanted:
                    break
        return edits

    def _kind(self, chance: float) -> str:
        at = next((n for n, end in enumerate(self._ends) if chance < end), -1)
        return self._kinds[at]


def _numbers(seed: int, sentence: int) -> Iterator[float]:
    block = 0
    while True:
        yield from fractions(_NUMBERS, seed, 8, sentence, block).tolist()
        block += 1
