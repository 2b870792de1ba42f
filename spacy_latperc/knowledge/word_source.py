"""The base of sources with a table of words."""

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ..features.sources import Source
from ..io import model_file
from ..kernels.chains import text_hash
from .normalise import Normaliser
from .word_table import WordTable

Self = TypeVar("Self", bound="WordSource")
UNKNOWN = -1


@dataclass(eq=False)
class WordSource(Source):
    """A source that looks words up in its own table.

    Attributes:
        normaliser: The forms by which a word is looked up.
        table: The table of words.
    """

    normaliser: Normaliser
    table: WordTable = field(init=False, default_factory=WordTable.empty)
    # Several attributes look up the same word in turn.
    _last: tuple[str, int] = field(init=False, default=("", UNKNOWN))

    # The hash of a form in the table.
    hash_form = staticmethod(text_hash)

    def row_of(self, word: str) -> int:
        """Return the row of a word in the table, or UNKNOWN."""
        last, row = self._last
        if last == word:
            return row
        row = self._find(word)
        self._last = word, row
        return row

    def _find(self, word: str) -> int:
        if word:
            find, hash_form = self.table.find, self.hash_form
            row = find(hash_form(word))
            if row >= 0:
                return row
            for form in self.normaliser.forms(word):
                if form != word:
                    row = find(hash_form(form))
                    if row >= 0:
                        return row
        return UNKNOWN

    def know(self, table: WordTable) -> None:
        """Replace the table."""
        self.table = table
        self._last = "", UNKNOWN
        self.changes += 1

    def settings(self) -> dict[str, Any]:
        return self.normaliser.settings()

    def blank(self: Self) -> Self:
        return replace(self)

    @property
    def is_absent(self) -> bool:
        return self.optional and not len(self.table)

    @property
    def nbytes(self) -> int:
        return self.table.nbytes

    def to_bytes(self) -> bytes:
        return model_file.pack(self.header(), self.arrays())

    def from_bytes(self, data: bytes) -> None:
        header, arrays = model_file.unpack(data)
        self.know(self.read(header, arrays))

    @abstractmethod
    def header(self) -> dict[str, Any]:
        """Return the entries of the table in the header of a file."""

    def arrays(self) -> dict[str, Any]:
        """Return the arrays of the table for a file."""
        return self.table.arrays()

    @abstractmethod
    def read(self, header: dict[str, Any], arrays: dict[str, Any]) -> WordTable:
        """Read and check the table of a file."""
