"""The kinds of errors. Each makes edits of a sentence, or none if it does not fit."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from ...errors import Errors
from ..evidence.lexicon import Choices, Lexicon, is_mark
from .marks import MISSING, Edit

_KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
# Spellings that sound alike in many languages with Latin letters.
_SOUNDS = (
    ("ie", "ei"), ("ei", "ie"), ("ph", "f"), ("f", "ph"), ("c", "k"), ("k", "c"),
    ("s", "z"), ("z", "s"), ("y", "i"), ("i", "y"), ("ea", "ee"), ("ee", "ea"),
    ("ai", "ei"), ("v", "w"), ("tion", "sion"), ("ance", "ence"), ("ent", "ant"),
    ("able", "ible"), ("qu", "kw"), ("x", "ks"), ("th", "t"), ("sc", "s"),
    ("o", "a"), ("e", "a"), ("a", "e"), ("i", "e"), ("e", "i"), ("u", "o"),
)  # fmt: skip
# The shares of punctuation errors that remove or insert a mark; the others replace one.
_MARK_REMOVED, _MARK_INSERTED = 0.6, 0.25


class RandomNumbers:
    """The random numbers of a sentence, one after the other."""

    def __init__(self, numbers: Iterator[float]):
        self._numbers = numbers

    def next(self) -> float:
        """Return a number from 0 to below 1."""
        return next(self._numbers)

    def below(self, n: int) -> int:
        """Return an integer from 0 to n - 1."""
        return min(int(self.next() * n), n - 1)

    def choose(self, places: Sequence[int]) -> int | None:
        """Return one of some places, or None if there is none."""
        return places[self.below(len(places))] if places else None


class Source(NamedTuple):
    """The words that errors insert.

    Attributes:
        lexicon: The lexicon of the text.
        other: Another sentence of the text, whose second half may be inserted.
    """

    lexicon: Lexicon
    other: Sequence[str] = ()


Words = Sequence[str]
Kind = Callable[[Words, Source, RandomNumbers], list[Edit]]


def _form(words: Words, source: Source, random: RandomNumbers) -> list[Edit]:
    return _alternative("form", words, source.lexicon.forms, random)


def _small(words: Words, source: Source, random: RandomNumbers) -> list[Edit]:
    return _alternative("small", words, source.lexicon.like, random)


def _alternative(
    kind: str, words: Words, known: Mapping[str, Choices], random: RandomNumbers
) -> list[Edit]:
    """Replace a word that has alternatives."""
    at = random.choose(_places_in(words, known))
    if at is None:
        return []
    word = known[words[at].lower()].pick(random.next())
    if words[at][:1].isupper():
        word = word[:1].upper() + word[1:]
    return [Edit(kind, at, at + 1, (word,))]


def _missing(words: Words, source: Source, random: RandomNumbers) -> list[Edit]:
    at = random.choose(_places_in(words, source.lexicon.like))
    return [] if at is None or len(words) < 2 else [Edit(MISSING, at, at + 1, ())]


def _extra(words: Words, source: Source, random: RandomNumbers) -> list[Edit]:
    small = source.lexicon.small
    if small is None:
        return []
    at = random.below(len(words))
    word = small.pick(random.next())
    if word in (words[at].lower(), words[at - 1].lower() if at else ""):
        return []
    return [Edit("extra", at, at, (word,))]


def _order(words: Words, source: Source, random: RandomNumbers) -> list[Edit]:
    at = random.choose(_word_pairs(words))
    if at is None or words[at] == words[at + 1]:
        return []
    return [Edit("order", at, at + 2, (words[at + 1], words[at]))]


def _far(words: Words, source: Source, random: RandomNumbers) -> list[Edit]:
    start = random.choose(_word_places(words))
    to = random.below(len(words))
    # Nearer places would make an error of the kind "order".
    if start is None or -3 < to - start < 4:
        return []
    return [Edit("far", start, start + 1, ()), Edit("far", to, to, (words[start],))]


def _repeat(words: Words, source: Source, random: RandomNumbers) -> list[Edit]:
    at = random.choose(_word_places(words))
    return [] if at is None else [Edit("repeat", at + 1, at + 1, (words[at],))]


def _spelling(words: Words, source: Source, random: RandomNumbers) -> list[Edit]:
    places = [i for i, word in enumerate(words) if len(word) > 3 and word.isalpha()]
    at = random.choose(places)
    return [] if at is None else _replaced("spelling", words, at, misspelt, random)


def misspelt(word: str, random: RandomNumbers) -> str:
    """Return the word with a typing error, or spelled as it sounds."""
    way = random.below(6)
    at = 1 + random.below(len(word) - 1)
    if way == 0:
        return word[:at] + word[at + 1 :]
    if way == 1:
        return word[:at] + word[at] + word[at:]
    if way == 2:
        return word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]
    if way == 3:
        return word[:at] + _next_key(word[at], random) + word[at + 1 :]
    found = [(old, new) for old, new in _SOUNDS if old in word[1:]]
    if not found:
        return word
    old, new = found[random.below(len(found))]
    return word[0] + word[1:].replace(old, new, 1)


def _next_key(letter: str, random: RandomNumbers) -> str:
    for row in _KEYBOARD:
        if (at := row.find(letter)) >= 0:
            keys = row[max(at - 1, 0) : at] + row[at + 1 : at + 2]
            return keys[random.below(len(keys))]
    return letter


def _mark(words: Words, source: Source, random: RandomNumbers) -> list[Edit]:
    """Remove, insert or replace a punctuation mark, but not the last one."""
    way, marks = random.next(), source.lexicon.marks
    if _MARK_REMOVED <= way < _MARK_REMOVED + _MARK_INSERTED:
        at = random.choose(_word_pairs(words))
        if at is None or marks is None:
            return []
        return [Edit("mark", at + 1, at + 1, (marks.pick(random.next()),))]
    at = random.choose([i for i, word in enumerate(words[:-1]) if is_mark(word)])
    if at is None:
        return []
    if way < _MARK_REMOVED:
        return [Edit("mark", at, at + 1, ())]

    def other(word: str, random: RandomNumbers) -> str:
        return marks.pick(random.next()) if marks else word

    return _replaced("mark", words, at, other, random)


def _halves(words: Words, source: Source, random: RandomNumbers) -> list[Edit]:
    other = source.other
    if len(words) < 6 or len(other) < 6:
        return []
    at = 2 + random.below(len(words) - 4)
    rest = tuple(other[2 + random.below(len(other) - 4) :])
    return [] if rest == tuple(words[at:]) else [Edit("halves", at, len(words), rest)]


def _cut(words: Words, source: Source, random: RandomNumbers) -> list[Edit]:
    if len(words) < 6:
        return []
    at = 3 + random.below(len(words) - 4)
    return [Edit("cut", at, len(words), ())]


def _case(words: Words, source: Source, random: RandomNumbers) -> list[Edit]:
    at = random.choose(_word_places(words))
    return [] if at is None else _replaced("case", words, at, _other_case, random)


def _other_case(word: str, random: RandomNumbers) -> str:
    if len(word) > 1 and word[0].isupper():
        return word.lower()
    return word[:1].swapcase() + word[1:]


def _replaced(
    kind: str,
    words: Words,
    at: int,
    change: Callable[[str, RandomNumbers], str],
    random: RandomNumbers,
) -> list[Edit]:
    """Replace a word if that changes it."""
    word = change(words[at], random)
    return [] if word == words[at] else [Edit(kind, at, at + 1, (word,))]


def _places_in(words: Words, known: Container[str]) -> list[int]:
    return [i for i, word in enumerate(words) if word.lower() in known]


def _word_places(words: Words) -> list[int]:
    """Return the places of tokens that begin with a letter."""
    return [i for i, word in enumerate(words) if word[:1].isalpha()]


def _word_pairs(words: Words) -> list[int]:
    """Return the places of such tokens that are followed by another one."""
    places = _word_places(words)
    return [i for i, following in pairwise(places) if following == i + 1]


KINDS: dict[str, Kind] = {
    "form": _form,
    "small": _small,
    MISSING: _missing,
    "extra": _extra,
    "order": _order,
    "far": _far,
    "repeat": _repeat,
    "spelling": _spelling,
    "halves": _halves,
    "cut": _cut,
    "case": _case,
    "mark": _mark,
}
DEFAULT_SHARES = {
    "form": 0.30,
    "small": 0.20,
    MISSING: 0.15,
    "extra": 0.10,
    "order": 0.06,
    "spelling": 0.08,
    "case": 0.03,
    "far": 0.02,
    "repeat": 0.02,
    "halves": 0.02,
    "cut": 0.02,
}


def check_shares(shares: Mapping[str, float]) -> None:
    """Refuse shares of unknown kinds, negative ones, and those that are all zero."""
    good = set(shares) <= set(KINDS) and all(0 <= x < 1e9 for x in shares.values())
    if not good or not sum(shares.values()) > 0:
        known = ", ".join(KINDS)
        raise ValueError(Errors.LP490.format(shares=dict(shares), known=known))
