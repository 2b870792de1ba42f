"""Words that count as the same although they are written differently."""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..kernels.chains import text_hash
from ..kernels.text import FOLDED_CHARACTERS


@dataclass(frozen=True)
class Folding:
    """What makes no difference between two words.

    Attributes:
        case: Capitals and small letters.
        accents: Accents and other marks on letters.
    """

    case: bool
    accents: bool

    def fold(self, word: str) -> str:
        """The word as all that count as the same are written. Letters with marks may
        come as one character or as several: that makes no difference in any case."""
        if word.isascii():
            return word.lower() if self.case else word
        if self.case:
            word = word.casefold()
        if self.accents:
            apart = unicodedata.normalize("NFD", word)
            word = "".join(c for c in apart if unicodedata.category(c) != "Mn")
        return unicodedata.normalize("NFC", word)

    def hash(self, word: str) -> int:
        """The same number for words that count as the same."""
        return text_hash(self.fold(word))

    @lru_cache  # noqa: B019 - there are four
    def characters(self) -> NDArray[np.uint16]:
        """What stands for each of the first characters, for `WordHashes`: 0xffff where
        that is not one character. There are no marks among them that join others, so
        that a word of these is folded character by character."""
        folded = map(self.fold, map(chr, range(FOLDED_CHARACTERS)))
        found = [ord(text) if len(text) == 1 else 0xFFFF for text in folded]
        return np.asarray(found, dtype=np.uint16)
