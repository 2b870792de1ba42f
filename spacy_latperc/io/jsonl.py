"""JSON, and JSON Lines: an object on each line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import Errors
from .atomic import write_whole
from .lines import corpus_files
from .packed import PACKED_SUFFIXES, open_unpacked

SUFFIXES = (".jsonl", *(f".jsonl{packed}" for packed in PACKED_SUFFIXES))


class JsonLine(NamedTuple):
    """An object, and where it is from."""

    path: Path
    number: int
    fields: dict[str, Any]

    def error(self, problem: object) -> ValueError:
        """An error that names the file and the line."""
        message = Errors.LP470.format(path=self.path, line=self.number, problem=problem)
        return ValueError(message)


def parse_object(content: bytes | str) -> dict[str, Any]:
    """The object of a line.

    Raises:
        ValueError: It is no JSON, or no object; the message goes on after "it".
    """
    try:
        fields = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is no JSON ({error})") from error
    if not isinstance(fields, dict):
        raise ValueError("is no JSON object")
    return fields


def write_json(path: Path, value: object) -> None:
    """Write a file that others can read: NaN is no JSON."""
    text = json.dumps(value, indent=2, allow_nan=False)
    write_whole(path, f"{text}\n".encode())


def read_jsonl(path: Path | None) -> Iterator[JsonLine]:
    """The objects of a .jsonl file, or of all of them in a folder. Empty lines are left
    out."""
    files = corpus_files(path)
    if path is not None and Path(path).is_dir():
        files = [file for file in files if file.name.endswith(SUFFIXES)]
    for file in files:
        with open_unpacked(file) as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    fields = parse_object(line.decode("utf8"))
                except ValueError as error:
                    raise JsonLine(file, number, {}).error(f"it {error}") from error
                yield JsonLine(file, number, fields)
