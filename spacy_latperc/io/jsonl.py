"""JSON, and JSON Lines: an object on each line."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import Errors
from .lines import MOST_BYTES, corpus_files, numbered_lines
from .outputs import write_output
from .packed import PACKED_SUFFIXES, open_unpacked

SUFFIXES = (".jsonl", *(f".jsonl{packed}" for packed in PACKED_SUFFIXES))
# The longest line: annotation takes several times the size of its text.
MOST_OBJECT_BYTES = 16 * MOST_BYTES
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class JsonLine(NamedTuple):
    """A JSON object with its file and line."""

    path: Path
    number: int
    fields: dict[str, Any]

    def error(self, problem: object) -> ValueError:
        """An error that names the file and the line."""
        message = Errors.LP470.format(path=self.path, line=self.number, problem=problem)
        return ValueError(message)


def parse_object(content: str) -> dict[str, Any]:
    """Parse the object of a line.

    Raises:
        ValueError: The line is not JSON, not an object, or has a lone surrogate, which
            UTF-8 cannot encode. The message continues after "it".
    """
    try:
        fields = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not JSON ({error})") from error
    if not isinstance(fields, dict):
        raise ValueError("is not a JSON object")
    if _SURROGATE.search(content):
        try:
            json.dumps(fields, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            half = f"\\u{ord(error.object[error.start]):04x}"
            raise ValueError(f"has a lone surrogate ({half})") from error
    return fields


def write_json(path: Path, value: object) -> None:
    """Write a JSON file, which may be packed. NaN, which is not JSON, is refused."""
    text = json.dumps(value, indent=2, allow_nan=False)
    write_output(path, f"{text}\n".encode())


def read_jsonl(
    path: Path | None, *, most: int = MOST_OBJECT_BYTES
) -> Iterator[JsonLine]:
    """Yield the objects of a .jsonl file, or of all files of a folder."""
    for file in corpus_files(path, SUFFIXES):
        with open_unpacked(file) as lines:
            for number, line in numbered_lines(lines, most=most):
                if not line.strip():
                    continue
                try:
                    if len(line) > most:
                        raise ValueError(f"is longer than {most:,} bytes")
                    fields = parse_object(line.decode("utf8"))
                except ValueError as error:
                    raise JsonLine(file, number, {}).error(f"it {error}") from error
                yield JsonLine(file, number, fields)
