"""Lines of text or JSONL, one by one, each looked at before it goes on."""

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from ...errors import Errors
from ...io.jsonl import parse_object
from ...io.lines import BYTE_ORDER_MARK
from ...io.packed import STDIN, open_unpacked
from .verdicts import REASONS_FIELD, SCORE_FIELD, Columns, Verdict

MOST_BYTES = 1 << 24  # of a line
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


class Line(NamedTuple):
    """A line that can be scored.

    Args:
        content: The line as it was read.
        text: What is scored.
        fields: Those of the JSON object, if it is one.
    """

    content: bytes
    text: str
    fields: dict[str, Any] | None = None

    def written(self, verdict: Verdict, columns: Columns) -> bytes:
        """The line to write: the score and its reasons stand before it, each with a tab
        behind it, or in fields of the object."""
        if not columns.any():
            return self.content + b"\n"
        if self.fields is None:
            front = f"{verdict.score:.4f}\t" if columns.scores else ""
            if columns.reasons:
                reasons = (" ".join(x.split()) for x in verdict.reasons)
                front += " | ".join(reasons) + "\t"
            return front.encode() + self.content + b"\n"
        fields = dict(self.fields)
        if columns.scores:
            fields[SCORE_FIELD] = round(verdict.score, 4)
        if columns.reasons:
            fields[REASONS_FIELD] = list(verdict.reasons)
        return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


class Reader:
    """What reads texts to score, and counts what it leaves out.

    Args:
        name: Of the file, for messages.
        field: Of JSON objects or of tables: where the text is.
        skip_bad: Leave out what cannot be scored; otherwise the first such line ends it
            all. Empty lines are always left out.
    """

    unit = "line"

    def __init__(self, name: str, *, field: str = "text", skip_bad: bool = False):
        self.name = name
        self.field = field
        self.skip_bad = skip_bad
        self.lines = self.empty = self.bad = 0
        self.first_bad = ""

    def __iter__(self) -> Iterator[Any]:
        """What can be scored: it has a `text`."""
        raise NotImplementedError

    def check(self, text: str) -> None:
        """Refuse a text that cannot be scored."""
        if found := _CONTROLS.search(text):
            raise BadLineError(f"has the control character U+{ord(found[0]):04X}")
        if not text.strip():
            raise BadLineError(f"has nothing in the field '{self.field}'")

    def note(self, problem: object) -> None:
        """A line that cannot be scored ends it all, or is counted."""
        if not self.skip_bad:
            raise ValueError(
                Errors.LP340.format(
                    path=self.name, unit=self.unit, line=self.lines, problem=problem
                )
            )
        self.bad += 1
        self.first_bad = self.first_bad or f"{self.unit} {self.lines} {problem}"


class LineReader(Reader):
    """Reads the lines of a file.

    Args:
        path: The file, or "-" for the standard input.
        json: Whether each line is a JSON object.
        settings: See Reader.
    """

    def __init__(self, path: str, *, json: bool = False, **settings: Any):
        super().__init__("standard input" if path == STDIN else path, **settings)
        self.path = path
        self.json = json

    def __iter__(self) -> Iterator[Line]:
        with open_unpacked(self.path) as file:
            yield from self.read(file)

    def read(self, file: BinaryIO) -> Iterator[Line]:
        """The lines of an open file, or of a piece of it, behind those read before."""
        while content := file.readline(MOST_BYTES):
            if not self.lines:
                content = content.removeprefix(BYTE_ORDER_MARK)
            content = content.removesuffix(b"\n").removesuffix(b"\r")
            self.lines += 1
            if not content.strip():
                self.empty += 1
                continue
            try:
                yield self._checked(content)
            except BadLineError as error:
                self.note(error)

    def _checked(self, content: bytes) -> Line:
        if len(content) >= MOST_BYTES - 1:
            raise BadLineError(f"is longer than {MOST_BYTES:,} bytes")
        try:
            text = content.decode("utf8")
        except UnicodeDecodeError as error:
            raise BadLineError("is not UTF-8") from error
        fields = None
        if self.json:
            fields = self._fields(text)
            text = fields[self.field]
        self.check(text)
        return Line(content, text, fields)

    def _fields(self, decoded: str) -> dict[str, Any]:
        try:
            fields = parse_object(decoded)
        except ValueError as error:
            raise BadLineError(str(error)) from error
        if not isinstance(fields.get(self.field), str):
            raise BadLineError(f"has no text in the field '{self.field}'")
        return fields


class LineWriter:
    """Writes lines to an open file."""

    def __init__(self, file: BinaryIO, columns: Columns):
        self.file = file
        self.columns = columns

    def write(self, line: Line, verdict: Verdict) -> None:
        """Write a line that is kept."""
        self.file.write(line.written(verdict, self.columns))


class BadLineError(Exception):
    """What is wrong with a line."""
