"""The folding of words by case and accents."""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..kernels.chains import text_hash
from ..kernels.text import FOLDED_CHARACTERS


@dataclass(frozen=True)
class Folding:
    """The differences between words that are ignored.

    Attributes:
        case: Ignore case.
        accents: Ignore accents and other marks on letters.
    """

    case: bool
    accents: bool

    def fold(self, word: str) -> str:
        """Return the common form of all words that count as the same. Composed and
        decomposed letters always do."""
        if word.isascii():
            return word.lower() if self.case else word
        if self.case:
            word = word.casefold()
        if self.accents:
            apart = unicodedata.normalize("NFD", word)
            word = "".join(c for c in apart if unicodedata.category(c) != "Mn")
        return unicodedata.normalize("NFC", word)

    def hash(self, word: str) -> int:
        """Hash the folded form of a word."""
        return text_hash(self.fold(word))

    @lru_cache  # noqa: B019 - there are four
    def characters(self) -> NDArray[np.uint16]:
        """Return the folded form of each of the first characters, for `WordHashes`:
        0xffff unless it is one character. There are no combining marks among them, so
        words of these characters are folded one by one."""
        folded = map(self.fold, map(chr, range(FOLDED_CHARACTERS)))
        found = [ord(text) if len(text) == 1 else 0xFFFF for text in folded]
        return np.asarray(found, dtype=np.uint16)
