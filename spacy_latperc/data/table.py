"""A column file in memory: flat arrays over distinct strings, no object per token."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

UNSET = ("", "_")
NO_HEAD = -1


@dataclass(frozen=True, eq=False)
class Column:
    """The distinct strings of a column, and for each token the id of its string."""

    strings: list[str]
    ids: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Table:
    """The tokens of a column file.

    Attributes:
        path: The file.
        columns: By name, for all columns but `id`, `head` and `space`.
        lines: The 1-based line of each token, for messages.
        spaces: Whether a space follows each token, when the file says so.
        sentence_offsets: Token positions where sentences start, then the number of
            tokens.
        document_offsets: Sentence positions where documents start, then the number of
            sentences.
        heads: The position of the head of each token, its own for a root, and NO_HEAD
            where the file leaves it open; None when the file has no heads.
        parts: By position, the words of tokens that stand for several.
    """

    path: Path
    columns: dict[str, Column]
    lines: NDArray[np.int32]
    spaces: NDArray[np.bool_] | None
    sentence_offsets: NDArray[np.int64]
    document_offsets: NDArray[np.int64]
    heads: NDArray[np.int64] | None = None
    parts: Mapping[int, tuple[dict[str, Any], ...]] = field(default_factory=dict)

    @property
    def n_tokens(self) -> int:
        """How many tokens there are."""
        return len(self.lines)

    @property
    def nbytes(self) -> int:
        """What the arrays take in memory."""
        arrays: list[NDArray[Any]] = [x.ids for x in self.columns.values()]
        arrays += [self.lines, self.sentence_offsets, self.document_offsets]
        arrays += [x for x in (self.spaces, self.heads) if x is not None]
        return sum(array.nbytes for array in arrays)

    @property
    def n_sentences(self) -> int:
        """How many sentences there are."""
        return len(self.sentence_offsets) - 1

    @property
    def n_documents(self) -> int:
        """How many documents there are."""
        return len(self.document_offsets) - 1

    def error_at(
        self, message: str, column: str, token: int, **details: object
    ) -> ValueError:
        """An error that names a place of the file.

        Args:
            message: Its text, with {path} and {line}, perhaps {column} and {string}.
            column: The column that is wrong.
            token: The position of the token that is wrong there.
            details: What else the text names.
        """
        found = self.columns[column]
        place = {
            "path": self.path,
            "line": self.lines[token],
            "column": column,
            "string": found.strings[found.ids[token]],
        }
        return ValueError(message.format(**{**place, **details}))

    def error_of(
        self, message: str, column: str, string: str, /, **details: object
    ) -> ValueError:
        """The same of the first token that has this string in the column."""
        found = self.columns[column]
        token = int(np.argmax(found.ids == found.strings.index(string)))
        return self.error_at(message, column, token, **details)
