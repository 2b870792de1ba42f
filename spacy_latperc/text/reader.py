"""Readers of text, which check each line before it is used.

This module defines, for all commands, what counts as text: valid UTF-8 of at most
1 MiB a line, without control characters other than tabs.
"""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO, Generic, NamedTuple, TypeVar

from ..errors import Errors
from ..io.jsonl import parse_object
from ..io.lines import MOST_BYTES, TOO_LONG, name_of, numbered_lines
from ..io.packed import open_unpacked

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


class BadTextError(Exception):
    """A line or row is not text. The message completes "line 3 ..."."""


def decoded(content: bytes) -> str:
    """Decode a line."""
    if len(content) > MOST_BYTES:
        raise BadTextError(TOO_LONG)
    try:
        return content.decode("utf8")
    except UnicodeDecodeError as error:
        raise BadTextError("is not UTF-8") from error


def checked(text: str) -> str:
    """Return the text unchanged if it can be scored."""
    if found := _CONTROLS.search(text):
        raise BadTextError(f"has the control character U+{ord(found[0]):04X}")
    return text


@dataclass
class Tally:
    """The number of lines of a file by their fate.

    Args:
        lines: All lines.
        empty: Lines without text.
        bad: Lines that cannot be read or scored.
        scored: All others.
        kept: Scored lines that were written.
        first_bad: The place of the first bad line, and its problem.
        unread: The reason if the file could not be read.
    """

    lines: int = 0
    empty: int = 0
    bad: int = 0
    scored: int = 0
    kept: int = 0
    first_bad: str = ""
    unread: str = ""

    def add(self, other: "Tally") -> None:
        """Add the counts of another file."""
        for name in ("lines", "empty", "bad", "scored", "kept"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.first_bad = self.first_bad or other.first_bad

    def as_dict(self) -> dict[str, Any]:
        """The counts by name, for a JSON file."""
        return asdict(self)


Text = TypeVar("Text")  # with its number and its text


class Line(NamedTuple):
    """A line that can be scored.

    Args:
        number: The number of the line, from 1.
        text: The text to score.
        content: The line as it was read, without its line end.
        fields: The fields of a JSON object.
    """

    number: int
    text: str
    content: bytes
    fields: dict[str, Any] | None = None


class Reader(Generic[Text]):
    """An iterator over the texts of a file, with a tally of its lines.

    Args:
        path: The file, its URL, or "-" for standard input.
        field: The field of a JSON object, or the column of a table, with the text.
        skip_bad: Skip and count bad lines instead of raising an error. Empty lines are
            always skipped.
    """

    unit = "line"

    def __init__(self, path: str, *, field: str = "text", skip_bad: bool = False):
        self.path = path
        self.field = field
        self.skip_bad = skip_bad
        self.tally = Tally()

    def __iter__(self) -> Iterator[Text]:
        """The texts."""
        raise NotImplementedError

    def note(self, number: int, problem: object) -> None:
        """Count a bad line, or raise an error that names it."""
        place = {"path": name_of(self.path), "unit": self.unit, "line": number}
        if not self.skip_bad:
            raise ValueError(Errors.LP340.format(**place, problem=problem))
        self.tally.bad += 1
        said = f"{place['path']}: {self.unit} {number} {problem}"
        self.tally.first_bad = self.tally.first_bad or said


class LineReader(Reader[Line]):
    """The lines of a file."""

    def __init__(self, path: str, *, json: bool = False, **settings: Any):
        super().__init__(path, **settings)
        self.json = json
        self.packed: list[BinaryIO] = []  # the open file, for its position

    def __iter__(self) -> Iterator[Line]:
        with open_unpacked(self.path, self.packed.append) as file:
            for number, content in numbered_lines(file):
                self.tally.lines = number
                if not content.strip():
                    self.tally.empty += 1
                    continue
                try:
                    line = self._read(number, content)
                except BadTextError as error:
                    self.note(number, error)
                    continue
                yield line

    def _read(self, number: int, content: bytes) -> Line:
        text = decoded(content)
        if not self.json:
            return Line(number, checked(text), content)
        try:
            fields = parse_object(text)
        except ValueError as error:
            raise BadTextError(str(error)) from error
        found = fields.get(self.field)
        if not isinstance(found, str):
            raise BadTextError(f"has no text in the field '{self.field}'")
        if not checked(found).strip():
            raise BadTextError(f"has nothing in the field '{self.field}'")
        return Line(number, found, content, fields)
