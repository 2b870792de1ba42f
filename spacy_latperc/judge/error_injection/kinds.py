"""The kinds of errors. Each makes edits of a sentence; none where it does not fit."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...errors import Errors
from ...errors.check import split_shares
from ..evidence.lexicon import Lexicon, is_mark
from .marks import MISSING, Edit

# Of a letter those beside it on a keyboard, row by row.
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
# Spellings that sound alike in many languages with Latin letters.
_SOUNDS = (
    ("ie", "ei"), ("ei", "ie"), ("ph", "f"), ("f", "ph"), ("c", "k"), ("k", "c"),
    ("s", "z"), ("z", "s"), ("y", "i"), ("i", "y"), ("ea", "ee"), ("ee", "ea"),
    ("ai", "ei"), ("v", "w"), ("tion", "sion"), ("ance", "ence"), ("ent", "ant"),
    ("able", "ible"), ("qu", "kw"), ("x", "ks"), ("th", "t"), ("sc", "s"),
    ("o", "a"), ("e", "a"), ("a", "e"), ("i", "e"), ("e", "i"), ("u", "o"),
)  # fmt: skip


class Chances:
    """Random numbers of a sentence, one after the other."""

    def __init__(self, numbers: Iterator[float]):
        self._numbers = numbers

    def next(self) -> float:
        """A number in [0, 1)."""
        return next(self._numbers)

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        return min(int(self.next() * n), n - 1)


@dataclass(frozen=True)
class Sources:
    """Where errors take words from.

    Attributes:
        lexicon: Of the text.
        other: Another sentence of the text, of which the second half may be put in.
        foreign: Words of another language; none where nobody gave any.
    """

    lexicon: Lexicon
    other: Sequence[str] = ()
    foreign: Sequence[str] = ()


# Of the marks of punctuation that are wrong; else there is another one.
_LEFT_OUT, _PUT_IN = 0.6, 0.25

Words = Sequence[str]
Kind = Callable[[Words, Sources, Chances], list[Edit]]


def _as_cased(word: str, like: str) -> str:
    return word[:1].upper() + word[1:] if like[:1].isupper() else word


def _some(places: list[int], chances: Chances) -> int | None:
    return places[chances.below(len(places))] if places else None


def _form(words: Words, sources: Sources, chances: Chances) -> list[Edit]:
    forms = sources.lexicon.forms
    at = _some([i for i, w in enumerate(words) if w.lower() in forms], chances)
    if at is None:
        return []
    word = forms[words[at].lower()].pick(chances.next())
    return [Edit("form", at, at + 1, (_as_cased(word, words[at]),))]


def _small_places(words: Words, sources: Sources) -> list[int]:
    like = sources.lexicon.like
    return [i for i, word in enumerate(words) if word.lower() in like]


def _small(words: Words, sources: Sources, chances: Chances) -> list[Edit]:
    at = _some(_small_places(words, sources), chances)
    if at is None:
        return []
    word = sources.lexicon.like[words[at].lower()].pick(chances.next())
    return [Edit("small", at, at + 1, (_as_cased(word, words[at]),))]


def _missing(words: Words, sources: Sources, chances: Chances) -> list[Edit]:
    at = _some(_small_places(words, sources), chances)
    return [] if at is None or len(words) < 2 else [Edit(MISSING, at, at + 1, ())]


def _extra(words: Words, sources: Sources, chances: Chances) -> list[Edit]:
    small = sources.lexicon.small
    if small is None:
        return []
    at = chances.below(len(words))
    word = small.pick(chances.next())
    if word in (words[at].lower(), words[at - 1].lower() if at else ""):
        return []
    return [Edit("extra", at, at, (word,))]


def _order(words: Words, sources: Sources, chances: Chances) -> list[Edit]:
    places = [i for i in range(len(words) - 1) if _is_word(words[i], words[i + 1])]
    at = _some(places, chances)
    if at is None or words[at] == words[at + 1]:
        return []
    return [Edit("order", at, at + 2, (words[at + 1], words[at]))]


def _far(words: Words, sources: Sources, chances: Chances) -> list[Edit]:
    start = _some([i for i, word in enumerate(words) if _is_word(word)], chances)
    to = chances.below(len(words))
    # In between there must be other words, or it would be a neighbour's place.
    if start is None or -3 < to - start < 4:
        return []
    return [Edit("far", start, start + 1, ()), Edit("far", to, to, (words[start],))]


def _repeat(words: Words, sources: Sources, chances: Chances) -> list[Edit]:
    at = _some([i for i, word in enumerate(words) if _is_word(word)], chances)
    return [] if at is None else [Edit("repeat", at + 1, at + 1, (words[at],))]


def _spelling(words: Words, sources: Sources, chances: Chances) -> list[Edit]:
    places = [i for i, word in enumerate(words) if len(word) > 3 and word.isalpha()]
    at = _some(places, chances)
    if at is None:
        return []
    made = misspelt(words[at], chances)
    return [] if made == words[at] else [Edit("spelling", at, at + 1, (made,))]


def misspelt(word: str, chances: Chances) -> str:
    """The word with a slip of the finger, or written as it sounds.

    Args:
        word: Of some letters.
        chances: Say which.
    """
    way = chances.below(6)
    at = 1 + chances.below(len(word) - 1)
    if way == 0:
        return word[:at] + word[at + 1 :]
    if way == 1:
        return word[:at] + word[at] + word[at:]
    if way == 2:
        return word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]
    if way == 3:
        return word[:at] + _beside(word[at], chances) + word[at + 1 :]
    found = [(old, new) for old, new in _SOUNDS if old in word[1:]]
    if not found:
        return word
    old, new = found[chances.below(len(found))]
    return word[0] + word[1:].replace(old, new, 1)


def _beside(letter: str, chances: Chances) -> str:
    for row in _ROWS:
        at = row.find(letter)
        if at >= 0:
            beside = row[max(at - 1, 0) : at] + row[at + 1 : at + 2]
            return beside[chances.below(len(beside))]
    return letter


def _mark(words: Words, sources: Sources, chances: Chances) -> list[Edit]:
    """A mark of punctuation is left out, put in, or another one; not the last one."""
    way, marks = chances.next(), sources.lexicon.marks
    if _LEFT_OUT <= way < _LEFT_OUT + _PUT_IN:
        places = [i for i in range(1, len(words)) if _is_word(words[i - 1], words[i])]
        at = _some(places, chances)
        if at is None or marks is None:
            return []
        return [Edit("mark", at, at, (marks.pick(chances.next()),))]
    places = [i for i, word in enumerate(words[:-1]) if is_mark(word)]
    at = _some(places, chances)
    if at is None:
        return []
    if way < _LEFT_OUT:
        return [Edit("mark", at, at + 1, ())]
    made = marks.pick(chances.next()) if marks else words[at]
    return [] if made == words[at] else [Edit("mark", at, at + 1, (made,))]


def _halves(words: Words, sources: Sources, chances: Chances) -> list[Edit]:
    other = sources.other
    if len(words) < 6 or len(other) < 6:
        return []
    at = 2 + chances.below(len(words) - 4)
    rest = tuple(other[2 + chances.below(len(other) - 4) :])
    return [] if rest == tuple(words[at:]) else [Edit("halves", at, len(words), rest)]


def _cut(words: Words, sources: Sources, chances: Chances) -> list[Edit]:
    if len(words) < 6:
        return []
    at = 3 + chances.below(len(words) - 4)
    return [Edit("cut", at, len(words), ())]


def _case(words: Words, sources: Sources, chances: Chances) -> list[Edit]:
    at = _some([i for i, word in enumerate(words) if _is_word(word)], chances)
    if at is None:
        return []
    made = words[at].swapcase() if len(words[at]) == 1 else _other_case(words[at])
    return [] if made == words[at] else [Edit("case", at, at + 1, (made,))]


def _other_case(word: str) -> str:
    return word.lower() if word[:1].isupper() else word[:1].upper() + word[1:]


def _foreign(words: Words, sources: Sources, chances: Chances) -> list[Edit]:
    at = _some([i for i, word in enumerate(words) if _is_word(word)], chances)
    if at is None or not sources.foreign:
        return []
    word = sources.foreign[chances.below(len(sources.foreign))]
    return [] if word == words[at] else [Edit("foreign", at, at + 1, (word,))]


def _is_word(*words: str) -> bool:
    return all(word[:1].isalpha() for word in words)


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
    "foreign": _foreign,
    "mark": _mark,
}
# Of which only the first token is wrong.
FIRST_ONLY = ("halves",)
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


def read_shares(text: str) -> dict[str, float]:
    """The shares of "form=0.3,small=0.2"; what they come to does not matter.

    Args:
        text: As the command line has it.
    """
    return check_shares({name: share for _, name, share in split_shares(text)}, text)


def check_shares(shares: Mapping[str, float], shown: object = None) -> dict[str, float]:
    """Refuse shares of unknown kinds, below zero, or of nothing at all.

    Args:
        shares: By kind.
        shown: What the message shows.
    """
    known = ", ".join(KINDS)
    good = set(shares) <= set(KINDS) and all(0 <= x < 1e9 for x in shares.values())
    if not good or not sum(shares.values()) > 0:
        shown = dict(shares) if shown is None else shown
        raise ValueError(Errors.LP490.format(shares=shown, known=known))
    return dict(shares)
