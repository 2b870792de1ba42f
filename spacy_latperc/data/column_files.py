"""Column files: one token per line, one blank line after each sentence.

Lines are split as bytes, on ASCII white space, so that words which contain other white
space stay whole and only distinct strings are ever decoded.
"""

import re
import warnings
from collections.abc import Sequence
from itertools import compress
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors, Warnings
from ..errors.check import check_choice
from ..io.lines import line_blocks
from .ranges import (
    DEFAULT_MULTIWORD,
    MULTIWORD,
    Range,
    check_ranges,
    merge_ranges,
)
from .table import UNSET, Column, Table, narrowest
from .tree_columns import with_heads

COLUMN_NAMES = (
    *("id", "word", "tag", "pos", "lemma", "morph", "head", "dep"),
    *("chunk", "ent", "space"),
)
SKIPPED = "-"
ARTICLE_MARK = "-DOCSTART-"
_is_range = re.compile(rb"\d+[-.]\d+\Z").match
_is_property = re.compile(rb"# (new(doc|par) )?\S+ = ").match
_is_features = re.compile(r"[^=|]+=[^=|]+(\|[^=|]+=[^=|]+)*\Z").match


def read_columns(
    path: str | Path,
    columns: Sequence[str],
    *,
    separator: str | None = None,
    doc_mark: str | None = ARTICLE_MARK,
    comment: str | None = None,
    encoding: str = "utf-8",
    multiword: str = DEFAULT_MULTIWORD,
) -> Table:
    """Read a column file, plain or .gz.

    Args:
        path: The file.
        columns: The names of the columns in file order, of COLUMN_NAMES, or "-" to skip
            one; columns to the right of the last name are skipped too. With `id`, rows
            whose id is a decimal (8.1: an empty node of CoNLL-U) are skipped, and rows
            whose id is a range (19-20) are multiword tokens. `head` is the number of
            a word of the sentence, from 1, with 0 for the root; `space` says
            SpaceAfter=No as CoNLL-U does.
        separator: The column separator; None for any run of white space.
        doc_mark: Lines that start with it start a document (and end a sentence).
        comment: Other lines that start with it are skipped. By default, lines at the
            beginning of a sentence that set a property, such as `# sent_id = 1`; ""
            skips none.
        encoding: The encoding of the file.
        multiword: The treatment of multiword tokens: "merge" makes each a token,
            "split" keeps their words, and "auto" merges those that their words do not
            spell (see ranges.py).
    """
    path = Path(path)
    check_column_names(columns)
    check_choice("multiword", multiword, MULTIWORD)
    rows = _Rows(path, columns, separator, doc_mark, comment)
    for first_line, block in line_blocks(path, encoding=encoding):
        rows.add_block(first_line, block)
    table = rows.to_table()
    return merge_ranges(table, rows.ranges, multiword) if rows.ranges else table


def check_column_names(columns: Sequence[str]) -> None:
    """Refuse unknown and duplicate names, and columns that require another."""
    named = [name for name in columns if name != SKIPPED]
    known = ", ".join(COLUMN_NAMES)
    for position, name in enumerate(named):
        if name not in COLUMN_NAMES:
            raise ValueError(Errors.LP105.format(name=name, known=known))
        if name in named[:position]:
            raise ValueError(Errors.LP107.format(name=name, columns=list(columns)))
    for missing in ("word", "head") if "dep" in named else ("word",):
        if missing not in named:
            message = Errors.LP106.format(columns=list(columns), missing=missing)
            raise ValueError(message)


class _Index(dict[bytes, int]):
    """A dict that numbers strings on first access."""

    def __missing__(self, key: bytes) -> int:
        self[key] = number = len(self)
        return number


class _Rows:
    """A collector of the arrays of a table, block by block."""

    def __init__(
        self,
        path: Path,
        columns: Sequence[str],
        separator: str | None,
        doc_mark: str | None,
        comment: str | None,
    ):
        self.path = path
        self.names = list(columns)
        self.positions = {name: i for i, name in enumerate(columns) if name != SKIPPED}
        self.width = 1 + max(self.positions.values())
        self.separator = separator.encode() if separator else None
        self.doc_mark = doc_mark.encode() if doc_mark else None
        self.comment = None if comment is None else comment.encode()
        self.in_sentence = False
        # Ids are stored only for heads, which refer to them.
        has_heads = "head" in self.positions
        self.index = {x: _Index() for x in self.positions if x != "id" or has_heads}
        self.ids: dict[str, list[NDArray[np.integer]]] = {x: [] for x in self.index}
        self.lines: list[NDArray[np.int32]] = []
        self.sentence_starts: list[NDArray[np.int64]] = []
        self.document_starts: list[int] = []
        self.ranges: list[Range] = []
        self.n_tokens = 0
        self.usual = 0  # columns of the first row
        self.uneven = False

    def add_block(self, first_line: int, block: bytes) -> None:
        lines = block.split(b"\n")
        rows = self._split(lines)
        widths = np.fromiter(map(len, rows), dtype=np.int32, count=len(rows))
        is_token = widths >= self.width
        is_break = widths == 0
        marks = self._lines_with(self.doc_mark, block, lines)
        if self.comment is None:
            is_break[marks] = True
            comments = self._properties(block, lines, is_break)
        else:
            comments = self._lines_with(self.comment, block, lines)
        is_token[marks] = is_token[comments] = False
        is_break[comments] = False
        is_break[marks] = True
        ranges = self._ranges(rows, is_token)
        is_token[ranges] = False
        explained = is_token | is_break
        explained[comments] = explained[ranges] = True
        if not explained.all():
            self._refuse_short_row(first_line, rows, int(np.argmin(explained)))
        self._warn_of_uneven_rows(first_line, widths, is_token)
        tokens_before = self.n_tokens + np.cumsum(is_token, dtype=np.int64) - is_token
        self.sentence_starts.append(tokens_before[is_break])
        self.document_starts.extend(tokens_before[marks].tolist())
        for row in ranges:
            self._add_range(int(tokens_before[row]), rows[row], first_line + row)
        self.lines.append(first_line + np.flatnonzero(is_token).astype(np.int32))
        kept = rows if is_token.all() else list(compress(rows, is_token))
        self.n_tokens += len(kept)
        for name, index in self.index.items():
            strings = map(itemgetter(self.positions[name]), kept)
            ids = map(index.__getitem__, strings)
            found = np.fromiter(ids, dtype=np.int32, count=len(kept))
            kind = narrowest(len(index))
            self.ids[name].append(found.astype(kind, copy=False))

    def _split(self, lines: list[bytes]) -> list[list[bytes]]:
        if self.separator is None:
            return list(map(bytes.split, lines))
        separator = self.separator
        return [line.split(separator) if line.strip() else [] for line in lines]

    @staticmethod
    def _lines_with(
        prefix: bytes | None, block: bytes, lines: list[bytes]
    ) -> list[int]:
        if not prefix or prefix not in block:
            return []
        return [i for i, line in enumerate(lines) if line.startswith(prefix)]

    def _properties(
        self, block: bytes, lines: list[bytes], is_break: NDArray[np.bool_]
    ) -> list[int]:
        """The lines that set a property of the sentence or document that follows."""
        found: list[int] = []
        outside = -1 if not self.in_sentence else None  # the last line of no sentence
        for row in self._lines_with(b"# ", block, lines):
            before = row - 1
            opens = before == outside or (before >= 0 and is_break[before])
            if opens and not is_break[row] and _is_property(lines[row]):
                found.append(row)
                outside = row
        last = len(lines) - 1
        self.in_sentence = last != outside and not is_break[last]
        return found

    def _ranges(
        self, rows: list[list[bytes]], is_token: NDArray[np.bool_]
    ) -> list[int]:
        """The rows that are multiword ranges or empty nodes."""
        if "id" not in self.positions:
            return []
        column = self.positions["id"]
        return [
            i for i in np.flatnonzero(is_token).tolist() if _is_range(rows[i][column])
        ]

    def _add_range(self, start: int, row: list[bytes], line: int) -> None:
        first, dash, last = row[self.positions["id"]].partition(b"-")
        if dash:
            end = start + int(last) - int(first) + 1
            form = row[self.positions["word"]].decode()
            column = self.positions.get("space")
            space = column is None or _space_after(row[column].decode())
            self.ranges.append(Range(start, end, form, line, space))

    def _refuse_short_row(
        self, first_line: int, rows: list[list[bytes]], row: int
    ) -> None:
        raise ValueError(
            Errors.LP104.format(
                path=self.path,
                line=first_line + row,
                found=len(rows[row]),
                needed=self.width,
                columns=self.names,
                row=b" ".join(rows[row]).decode(),
            )
        )

    def _warn_of_uneven_rows(
        self, first_line: int, widths: NDArray[np.int32], is_token: NDArray[np.bool_]
    ) -> None:
        """Warn if rows have different numbers of columns."""
        if self.uneven or not is_token.any():
            return
        self.usual = self.usual or widths[is_token.argmax()]
        odd = is_token & (widths != self.usual)
        if not odd.any():
            return
        self.uneven = True
        row = int(odd.argmax())
        warnings.warn(
            Warnings.LP903.format(
                path=self.path,
                line=first_line + row,
                found=widths[row],
                usual=self.usual,
            ),
            stacklevel=2,
        )

    def to_table(self) -> Table:
        if self.n_tokens == 0:
            raise ValueError(Errors.LP108.format(path=self.path))
        columns = {
            name: Column(
                [key.decode() for key in index], _joined(self.ids[name], len(index))
            )
            for name, index in self.index.items()
        }
        spaces = self._spaces(columns.pop("space", None))
        sentences = _offsets(np.concatenate(self.sentence_starts), self.n_tokens)
        documents = _offsets(np.array(self.document_starts, np.int64), self.n_tokens)
        table = Table(
            path=self.path,
            columns=columns,
            lines=np.concatenate(self.lines),
            spaces=spaces,
            sentence_offsets=sentences,
            document_offsets=np.searchsorted(sentences, documents),
        )
        if "" in columns["word"].strings:
            raise table.error_of(Errors.LP109, "word", "")
        if "morph" in columns:
            _check_features(table)
        if self.ranges:
            check_ranges(table, self.ranges)
        return with_heads(table) if "head" in columns else table

    def _spaces(self, column: Column | None) -> NDArray[np.bool_] | None:
        if column is None:
            return None
        follows = [_space_after(string) for string in column.strings]
        spaces = np.array(follows, dtype=bool)[column.ids]
        for found in self.ranges:
            spaces[found.start : found.end - 1] = False
            spaces[found.end - 1 : found.end] = found.space
        return spaces


def _check_features(table: Table) -> None:
    for string in table.columns["morph"].strings:
        if string not in UNSET and not _is_features(string):
            raise table.error_of(Errors.LP135, "morph", string)


def _space_after(notes: str) -> bool:
    return "SpaceAfter=No" not in notes.split("|")


def _joined(pieces: list[NDArray[np.integer]], most: int) -> NDArray[np.integer]:
    """Concatenate arrays of numbers below `most`, freeing each at once: large files are
    never in memory twice."""
    whole = np.empty(sum(map(len, pieces)), dtype=narrowest(most))
    end = len(whole)
    while pieces:
        piece = pieces.pop()
        whole[end - len(piece) : end] = piece
        end -= len(piece)
    return whole


def _offsets(starts: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Start positions without those of empty pieces, then the total."""
    return np.unique(np.concatenate(([0], starts, [total])))
