"""The slow, obvious twin of gazetteers: every phrase at every place of a text."""

import unicodedata
from typing import Any

Phrase = tuple[Any, ...]


def places(tokens, phrases):
    """B, I, E and S of the longest matches from left to right, O elsewhere."""
    known = [tuple(phrase) for phrase in phrases if phrase]
    found = ["O"] * len(tokens)
    at = 0
    while at < len(tokens):
        rest = tuple(tokens[at:])
        length = max((len(p) for p in known if rest[: len(p)] == p), default=0)
        if length == 1:
            found[at] = "S"
        elif length:
            found[at : at + length] = ["B", *"I" * (length - 2), "E"]
        at += length or 1
    return found


def nodes(phrases):
    """Count the different prefixes of the phrases."""
    return len({tuple(p[: i + 1]) for p in phrases for i in range(len(p))})


def fold(word, *, case, accents):
    """A word as it is compared, one character after the other."""
    text = word.casefold() if case else word
    if accents:
        apart = unicodedata.normalize("NFD", text)
        text = "".join(c for c in apart if unicodedata.category(c) != "Mn")
    return unicodedata.normalize("NFC", text)
