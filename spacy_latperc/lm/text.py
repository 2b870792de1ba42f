"""Reading text: one sentence a line, words between white space, plain or gzip."""

import gzip
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from ..errors import Errors
from ..kernels.sentences import Vocabulary
from .sentences import Sentences, join

STDIN = "-"
BLOCK = 1 << 20
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"

Notes = dict[str, int]


def read_text(
    path: Path | str,
    *,
    vocabulary: Vocabulary | None = None,
    lowercase: bool = False,
    progress: Callable[[int], None] | None = None,
) -> tuple[Sentences, Notes]:
    """All the sentences of a text file, or of the standard input for "-".

    vocabulary: grows by the words of the text; a new one by default.
    progress: is told the number of bytes of each block.
    RETURNS: the sentences; how many lines there were, how many of them empty, and how
        many with control characters, which were read as white space.
    """
    vocabulary = vocabulary or Vocabulary()
    name = "standard input" if str(path) == STDIN else str(path)
    parts: list[Sentences] = []
    notes = {"lines": 0, "empty": 0, "with_controls": 0}
    with open_text(path) as file:
        for block in _whole_lines(file, name):
            if not parts:
                block = block.removeprefix(BYTE_ORDER_MARK)
            text = _lowered(block) if lowercase else block
            ids, bounds, counts = vocabulary.read(text)
            if bad := counts["not_utf8"] or counts["with_null"]:
                message = Errors.LP403 if counts["not_utf8"] else Errors.LP404
                line = notes["lines"] + bad
                raise ValueError(message.format(path=name, line=line))
            for key in notes:
                notes[key] += counts[key]
            parts.append(Sentences(vocabulary, ids, bounds))
            if progress:
                progress(len(block))
    if not any(map(len, parts)):
        raise ValueError(Errors.LP405.format(path=name, lines=notes["lines"]))
    return join(vocabulary, parts), notes


def _lowered(block: bytes) -> bytes:
    try:
        return block.decode("utf8").lower().encode("utf8")
    except UnicodeDecodeError:
        return block  # what reads it names the line


@contextmanager
def open_text(path: Path | str) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked if they are packed; or of the standard input."""
    if str(path) == STDIN:
        yield cast(BinaryIO, sys.stdin.buffer)
        return
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(Errors.LP101.format(path=path))
    with path.open("rb") as plain:
        packed = plain.read(2) == _GZIP
        plain.seek(0)
        yield cast(BinaryIO, gzip.GzipFile(fileobj=plain)) if packed else plain


def _whole_lines(file: BinaryIO, name: str) -> Iterator[bytes]:
    """Blocks that end where a line does."""
    pieces: list[bytes] = []
    while True:
        try:
            block = file.read(BLOCK)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(Errors.LP407.format(path=name, error=error)) from error
        if not block:
            break
        end = block.rfind(b"\n") + 1
        if end:
            yield b"".join([*pieces, block[:end]])
            pieces = []
        pieces.append(block[end:])
    if rest := b"".join(pieces):
        yield rest
