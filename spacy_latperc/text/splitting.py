"""Sentences of running text, by the marks that end them."""

import unicodedata
from collections.abc import Sequence

# Of European, Arabic, Indian and East Asian scripts.
ENDS = frozenset(".!?…։؟۔܀।॥၊။።፧፨᙮។៕。！．？｡︒︖")
BREAK = "\n"


def with_breaks(words: Sequence[str]) -> list[str]:
    """The words of a text with a line break between sentences: a sentence goes on until
    a mark that ends it, and all marks and quotes behind that."""
    found: list[str] = []
    ended = False
    for word in words:
        if ended and not _is_punctuation(word):
            found.append(BREAK)
            ended = False
        found.append(word)
        ended = ended or (word[:1] in ENDS and _is_punctuation(word))
    return found


def _is_punctuation(word: str) -> bool:
    return all(unicodedata.category(char)[0] in "PZ" for char in word)
