"""The forms by which a word is looked up in foreign tables."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_DIGIT = re.compile(r"\d")
_URL = re.compile(r"(?:https?://|www\.)([^/\s]+).*", re.IGNORECASE)
# The classes of open sets of forms in tables of tweets.
_URL_CLASSES = ("<URL-{}>", "<URL>")
_MENTION_CLASSES = ("<@MENTION>", "<USER>")


@dataclass(frozen=True)
class Normaliser:
    """The forms that are looked up if a word itself is not in a table.

    Attributes:
        lower: Look up the lower-case form.
        digits: Look up the form with this character for every digit; "" for none.
        classes: Look up the class of URLs (<URL-domain>, <URL>) or of mentions of users
            (<@MENTION>, <USER>).
        back_off: Look up the capitalised form, the part after the last hyphen, and the
            part after a hash sign.
    """

    lower: bool = True
    digits: str = "0"
    classes: bool = True
    back_off: bool = True

    def forms(self, word: str) -> Iterator[str]:
        """Yield the forms of a word, itself first, with possible repetitions."""
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
