"""Surface checks of sentences, such as balanced brackets and final marks.

Samples must pass the filter that the real sentences passed, or brackets and final marks
give them away. That filter is not known, so it is measured: a check applies if nearly
all real sentences pass it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...kernels.text import FIRST_WORD, Vocabulary
from ...text.sentences import Sentences

Mask = NDArray[np.bool_]

END_MARKS = frozenset(". ? ! … 。 ？ ！ । ؟ ۔".split())
PAIRS = [("``", "''"), ("(", ")"), ("[", "]"), ("{", "}"), ("“", "”"), ("«", "»")]
CLOSING = frozenset([right for _, right in PAIRS] + ['"', "'", "’", "»", "«", "“"])
OPENING = frozenset([left for left, _ in PAIRS] + ['"', "`", "'", "‘", "„", "»"])
FREQUENT = 100
BLOCK = 20_000
WORDS_SHARE = 0.6
PASSED_BY = 0.98  # of the real sentences, else a check says nothing about this text


@dataclass(frozen=True)
class SurfaceChecks:
    """The checks that a text passes."""

    checks: tuple[str, ...]
    _words: "_WordKinds"

    @classmethod
    def of(cls, text: Sentences) -> "SurfaceChecks":
        """Find the checks that a text passes."""
        words = _word_kinds(text)
        found = _check(text, words)
        passed = [name for name, mask in found.items() if mask.mean() >= PASSED_BY]
        return cls(tuple(passed), words)

    @classmethod
    def nothing(cls, text: Sentences) -> "SurfaceChecks":
        """Make an empty set of checks."""
        return cls((), _word_kinds(text))

    def accepts(self, sentences: Sentences) -> Mask:
        """Return a mask of the sentences that pass all the checks."""
        accepted = np.ones(len(sentences), dtype=bool)
        if not len(sentences) or not self.checks:
            return accepted
        found = _check(sentences, self._words)
        for name in self.checks:
            accepted &= found[name]
        return accepted


@dataclass(frozen=True)
class _WordKinds:
    """Masks over word numbers, one for each kind of word."""

    word: Mask
    capital: Mask
    end: Mask
    closing: Mask
    opening: Mask
    quote: Mask
    frequent: Mask
    pairs: list[tuple[int, int]]


def _word_kinds(text: Sentences) -> _WordKinds:
    vocabulary = text.vocabulary
    numbers = np.arange(FIRST_WORD, vocabulary.size, dtype=np.int32)
    words = [""] * FIRST_WORD + vocabulary.words_of(numbers)
    is_word = _mask(word[:1].isalpha() for word in words)
    counts = np.bincount(text.ids, minlength=len(words)) * is_word
    often = np.argsort(-counts, kind="stable")[:FREQUENT]
    spellings = {words[number].lower() for number in often if counts[number]}
    return _WordKinds(
        word=is_word,
        capital=_mask(word[:1].isupper() or word[:1].isdigit() for word in words),
        end=_mask(word in END_MARKS for word in words),
        closing=_mask(word in CLOSING for word in words),
        opening=_mask(word in OPENING for word in words),
        quote=_mask(word == '"' for word in words),
        frequent=_mask(word.lower() in spellings for word in words),
        pairs=[
            (_known(vocabulary, left), _known(vocabulary, right))
            for left, right in PAIRS
        ],
    )


def _mask(values: Iterable[bool]) -> Mask:
    return np.fromiter(values, dtype=bool)


def _known(vocabulary: Vocabulary, word: str) -> int:
    number = vocabulary.find(word)
    return number if number >= FIRST_WORD else -1


def _check(sentences: Sentences, kinds: _WordKinds) -> dict[str, Mask]:
    """Return a mask of passing sentences for each check; in blocks, to save memory."""
    blocks = [
        _check_block(sentences.slice(at, at + BLOCK), kinds)
        for at in range(0, len(sentences), BLOCK)
    ]
    return {name: np.concatenate([b[name] for b in blocks]) for name in blocks[0]}


def _check_block(sentences: Sentences, kinds: _WordKinds) -> dict[str, Mask]:
    ids, starts = sentences.ids, sentences.bounds[:-1]
    lengths = sentences.lengths

    def count(mask: Mask) -> NDArray[np.int64]:
        return np.add.reduceat(mask.astype(np.int64), starts)

    places = np.arange(len(ids))
    last = np.maximum.reduceat(np.where(kinds.closing[ids], -1, places), starts)
    start_places = np.where(kinds.opening[ids], len(ids), places)
    first = np.minimum.reduceat(start_places, starts)
    ends = kinds.end[ids]
    at_first = ids[np.minimum(first, len(ids) - 1)]
    return {
        "ends with a mark": (last >= starts) & ends[np.maximum(last, 0)],
        "has one final mark": count(ends) <= 1,
        "begins with a capital": (first < len(ids)) & kinds.capital[at_first],
        "has balanced pairs": _balanced(sentences, kinds),
        "is mostly words": count(kinds.word[ids]) >= WORDS_SHARE * lengths,
        "has frequent words": count(kinds.frequent[ids]) >= np.where(lengths < 8, 1, 2),
    }


def _balanced(sentences: Sentences, kinds: _WordKinds) -> Mask:
    """Return a mask of sentences whose brackets and quotes close and do not nest."""
    ids, bounds = sentences.ids, sentences.bounds
    starts = bounds[:-1]
    sound = np.add.reduceat(kinds.quote[ids].astype(np.int64), starts) % 2 == 0
    for left, right in kinds.pairs:
        if left < 0 and right < 0:
            continue
        steps = (ids == left).astype(np.int64) - (ids == right)
        depth = np.cumsum(steps)
        before = depth[starts] - steps[starts]
        sound &= np.minimum.reduceat(depth, starts) >= before
        sound &= np.maximum.reduceat(depth, starts) <= before + 1
        sound &= depth[bounds[1:] - 1] == before
    return sound
