"""Column files in memory: flat arrays over distinct strings, no object per token."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

UNSET = ("", "_")
NO_HEAD = -1


@dataclass(frozen=True, eq=False)
class Column:
    """The distinct strings of a column, and the id of each token's string, in the
    narrowest integer type."""

    strings: list[str]
    ids: NDArray[np.integer]


def narrowest(most: int) -> type[np.integer]:
    """The narrowest integer type for numbers from 0 to below `most`."""
    kinds: tuple[type[np.integer], ...] = (np.uint8, np.uint16, np.int32)
    return next(kind for kind in kinds if most <= np.iinfo(kind).max + 1)


@dataclass(frozen=True, eq=False)
class Table:
    """The tokens of a column file.

    Attributes:
        path: The file.
        columns: The columns by name, without `id`, `head` and `space`.
        lines: The 1-based line of each token, for messages.
        spaces: True for tokens followed by a space; None if unknown.
        sentence_offsets: Token positions where sentences start, then the number of
            tokens.
        document_offsets: Sentence positions where documents start, then the number of
            sentences.
        heads: The position of the head of each token, its own for a root, and NO_HEAD
            for an open head; None if the file has no heads.
    """

    path: Path
    columns: dict[str, Column]
    lines: NDArray[np.int32]
    spaces: NDArray[np.bool_] | None
    sentence_offsets: NDArray[np.int64]
    document_offsets: NDArray[np.int64]
    heads: NDArray[np.int64] | None = None

    @property
    def n_tokens(self) -> int:
        """The number of tokens."""
        return len(self.lines)

    @property
    def nbytes(self) -> int:
        """The size of the arrays in bytes."""
        arrays: list[NDArray[Any]] = [x.ids for x in self.columns.values()]
        arrays += [self.lines, self.sentence_offsets, self.document_offsets]
        arrays += [x for x in (self.spaces, self.heads) if x is not None]
        return sum(array.nbytes for array in arrays)

    @property
    def n_sentences(self) -> int:
        """The number of sentences."""
        return len(self.sentence_offsets) - 1

    @property
    def n_documents(self) -> int:
        """The number of documents."""
        return len(self.document_offsets) - 1

    def error_at(
        self, message: str, column: str, token: int, **details: object
    ) -> ValueError:
        """The error for a place in the file.

        Args:
            message: The text, with {path} and {line}, optionally {column} and {string}.
            column: The invalid column.
            token: The position of the invalid token.
            details: The other fields of the text.
        """
        found = self.columns[column]
        place = {
            "path": self.path,
            "line": int(self.lines[token]),
            "column": column,
            "string": found.strings[found.ids[token]],
        }
        return ValueError(message.format(**{**place, **details}))

    def error_of(
        self, message: str, column: str, string: str, /, **details: object
    ) -> ValueError:
        """The error for the first token with this string in the column."""
        found = self.columns[column]
        token = int(np.argmax(found.ids == found.strings.index(string)))
        return self.error_at(message, column, token, **details)
