"""The forms under which a word may stand in a table that others made."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from ..errors.check import check_flag, check_kind

_DIGIT = re.compile(r"\d")
_URL = re.compile(r"(?:https?://|www\.)([^/\s]+).*", re.IGNORECASE)
# How tables of tweets write what has no end of forms.
_URL_CLASSES = ("<URL-{}>", "<URL>")
_MENTION_CLASSES = ("<@MENTION>", "<USER>")


@dataclass(frozen=True)
class Normaliser:
    """Which forms are looked up when a word itself is not in a table.

    Attributes:
        lower: Its lower-case form.
        digits: The form with this character for every digit; "" for none.
        classes: The class of URLs (<URL-domain>, <URL>) or of mentions of users
            (<@MENTION>, <USER>).
        back_off: Its capitalised form, the part after its last hyphen, and what follows
            a hash sign.
    """

    lower: bool = True
    digits: str = "0"
    classes: bool = True
    back_off: bool = True

    def __post_init__(self) -> None:
        for name in ("lower", "classes", "back_off"):
            check_flag(name, getattr(self, name))
        check_kind("digits", self.digits, str, "a character, or empty")

    def settings(self) -> dict[str, Any]:
        """As a model file has them."""
        return asdict(self)

    def forms(self, word: str) -> Iterable[str]:
        """The forms of a word, itself first. Some may come twice."""
        if not word.isalpha():
            return self._forms(word)
        # All that there is of most words.
        forms = [word]
        if self.lower:
            forms.append(word.lower())
        if self.back_off:
            forms.append(word.capitalize())
        return forms

    def _forms(self, word: str) -> Iterator[str]:
        yield from self._written(word)
        if self.classes:
            yield from _classes(word)
        if self.back_off:
            yield word.capitalize()
            for sign in "-#":
                _, found, rest = word.rpartition(sign)
                if found and rest:
                    yield from self._written(rest)

    def _written(self, word: str) -> Iterator[str]:
        yield word
        lower = word.lower() if self.lower else word
        if lower != word:
            yield lower
        if self.digits and _DIGIT.search(word):
            yield _DIGIT.sub(self.digits, word)
            if lower != word:
                yield _DIGIT.sub(self.digits, lower)


def _classes(word: str) -> Iterator[str]:
    if word[:1] == "@" and len(word) > 1:
        yield from _MENTION_CLASSES
    elif match := _URL.fullmatch(word):
        domain = match[1].lower().removeprefix("www.")
        yield from (name.format(domain) for name in _URL_CLASSES)
