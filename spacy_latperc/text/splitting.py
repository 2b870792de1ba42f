"""Sentence splitting of running text by punctuation."""

import unicodedata
from collections.abc import Sequence

# The marks of European, Arabic, Indian and East Asian scripts.
ENDS = frozenset(".!?…։؟۔܀।॥၊။።፧፨᙮។៕。！．？｡︒︖")
BREAK = "\n"


def with_breaks(words: Sequence[str]) -> list[str]:
    """Insert line breaks between the sentences of a text. A sentence ends after a final
    mark and all marks and quotes that follow it."""
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
