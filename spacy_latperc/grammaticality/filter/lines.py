"""Lines of text or JSONL, one by one, each looked at before it goes on."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple

from ...errors import Errors
from ...errors.check import check_choice
from ...io.jsonl import parse_object
from ...io.lines import BYTE_ORDER_MARK
from ...io.packed import STDIN, open_unpacked

FORMATS = ("text", "jsonl")
SCORE_FIELD = "grammaticality"
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

    def written(self, score: float | None = None) -> bytes:
        """The line to write; with a score in front of it, or in a field."""
        if score is None:
            return self.content + b"\n"
        if self.fields is None:
            return f"{score:.4f}\t".encode() + self.content + b"\n"
        fields = {**self.fields, SCORE_FIELD: round(score, 4)}
        return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


class LineReader:
    """Reads the lines of a file, and counts what it leaves out.

    Args:
        path: The file, or "-" for the standard input.
        format: One of FORMATS.
        field: The field of JSON objects with the text.
        skip_bad: Leave out lines that cannot be scored; otherwise the first of them
            ends it all. Empty lines are always left out.
        progress: Told the number of bytes of each line.
    """

    def __init__(
        self,
        path: str,
        *,
        format: str = "text",
        field: str = "text",
        skip_bad: bool = False,
        progress: Callable[[int], None] | None = None,
    ):
        check_choice("format", format, FORMATS)
        self.name = "standard input" if path == STDIN else path
        self.path = path
        self.format = format
        self.field = field
        self.skip_bad = skip_bad
        self.progress = progress
        self.lines = self.empty = self.bad = 0
        self.first_bad = ""

    def __iter__(self) -> Iterator[Line]:
        with open_unpacked(self.path) as file:
            for content in self._contents(file):
                self.lines += 1
                if not content.strip():
                    self.empty += 1
                    continue
                try:
                    yield self._checked(content)
                except _BadLineError as error:
                    self._note(str(error))

    def _contents(self, file: BinaryIO) -> Iterator[bytes]:
        first = True
        while True:
            line = file.readline(MOST_BYTES)
            if not line:
                return
            if self.progress:
                self.progress(len(line))
            if first:
                line, first = line.removeprefix(BYTE_ORDER_MARK), False
            yield line.removesuffix(b"\n").removesuffix(b"\r")

    def _checked(self, content: bytes) -> Line:
        if len(content) >= MOST_BYTES - 1:
            raise _BadLineError(f"is longer than {MOST_BYTES:,} bytes")
        try:
            decoded = content.decode("utf8")
        except UnicodeDecodeError as error:
            raise _BadLineError("is not UTF-8") from error
        fields = None
        text = decoded
        if self.format == "jsonl":
            fields = self._fields(decoded)
            text = fields[self.field]
        if found := _CONTROLS.search(text):
            code = ord(found[0])
            raise _BadLineError(f"has the control character U+{code:04X}")
        if not text.strip():
            raise _BadLineError(f"has nothing in the field '{self.field}'")
        return Line(content, text, fields)

    def _fields(self, decoded: str) -> dict[str, Any]:
        try:
            fields = parse_object(decoded)
        except ValueError as error:
            raise _BadLineError(str(error)) from error
        if not isinstance(fields.get(self.field), str):
            raise _BadLineError(f"has no text in the field '{self.field}'")
        return fields

    def _note(self, problem: str) -> None:
        if not self.skip_bad:
            raise ValueError(
                Errors.LP340.format(path=self.name, line=self.lines, problem=problem)
            )
        self.bad += 1
        self.first_bad = self.first_bad or f"line {self.lines} {problem}"


class _BadLineError(Exception):
    """What is wrong with a line."""
