"""Text files: the files that a path stands for, and their lines."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ..errors import Errors
from .packed import STDIN, open_unpacked

BLOCK_BYTES = 1 << 18
MOST_BYTES = 1 << 20  # of a line: bounds the memory for any file
BYTE_ORDER_MARK = "\ufeff".encode()
TOO_LONG = f"is longer than {MOST_BYTES:,} bytes"


def corpus_files(path: Path | str | None, suffixes: tuple[str, ...] = ()) -> list[Path]:
    """The file, or all files below the folder in the order of their names.

    Args:
        path: The file or folder.
        suffixes: In a folder, only files whose names end with one of these. Hidden
            files never count.
    """
    if path is None:
        raise ValueError(Errors.LP114)
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(Errors.LP101.format(path=path))
    if not path.is_dir():
        return [path]
    files = sorted(
        file
        for file in path.rglob("*")
        if file.name.endswith(suffixes or "")
        and file.is_file()
        and not file.name.startswith(".")
    )
    if not files:
        wanted = f" whose names end with '{suffixes[0]}'" if suffixes else ""
        raise FileNotFoundError(Errors.LP115.format(path=path, wanted=wanted))
    return files


def name_of(path: Path | str) -> str:
    """The name of a text in messages."""
    return "standard input" if str(path) == STDIN else str(path)


def numbered_lines(
    file: BinaryIO, *, most: int = MOST_BYTES
) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of an open file, without line ends, and their numbers from 1.

    Args:
        file: The file.
        most: The longest line in bytes. A longer one is cut to `most + 1` bytes.
    """
    number = 0
    while line := file.readline(most + 1):
        rest = line
        while len(rest) > most and not rest.endswith(b"\n"):
            rest = file.readline(most + 1)
        number += 1
        if number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)
        yield number, line.removesuffix(b"\n").removesuffix(b"\r")


def whole_lines(path: Path | str, *, size: int = BLOCK_BYTES) -> Iterator[bytes]:
    """Yield a text file, plain or packed, in blocks of whole lines.

    Args:
        path: The file, or "-" for the standard input.
        size: The size of a block in bytes, at most MOST_BYTES.
    """
    lines = 0
    with open_unpacked(path) as file:
        while block := file.read(size):
            if not block.endswith(b"\n"):
                block += file.readline(MOST_BYTES + 1)
                last = block[block.rfind(b"\n", 0, -1) + 1 :].rstrip(b"\r\n")
                if len(last) > MOST_BYTES:
                    number = lines + block.count(b"\n", 0, -1) + 1
                    place = {"path": name_of(path), "unit": "line", "line": number}
                    raise ValueError(Errors.LP340.format(**place, problem=TOO_LONG))
            lines += block.count(b"\n")
            yield block


def line_blocks(path: Path, *, encoding: str = "utf-8") -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file in UTF-8, in small blocks, which bounds memory.

    Returns:
        The 1-based number of the first line, and lines joined by newlines.
    """
    _check_encoding(path, encoding)
    line = 1
    offset = 0
    for block in whole_lines(path, size=BLOCK_BYTES):
        text = _as_utf8(block.removesuffix(b"\n"), path, encoding, line, offset)
        yield line, text if offset else text.removeprefix(BYTE_ORDER_MARK)
        line += block.count(b"\n")
        offset += len(block)


def _check_encoding(path: Path, encoding: str) -> None:
    try:
        line = "a\n".encode(encoding)
    except LookupError:
        raise ValueError(Errors.LP103.format(encoding=encoding)) from None
    if not line.endswith(b"a\n"):
        raise ValueError(Errors.LP573.format(path=path, encoding=encoding))


def _as_utf8(block: bytes, path: Path, encoding: str, line: int, offset: int) -> bytes:
    try:
        text = block.decode(encoding)
    except UnicodeDecodeError as error:
        if not offset and block.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            message = Errors.LP573.format(path=path, encoding="utf-16")
            raise ValueError(message) from None
        raise ValueError(
            Errors.LP102.format(
                path=path,
                line=line + block.count(b"\n", 0, error.start),
                byte=f"0x{block[error.start]:02x}",
                offset=offset + error.start,
                encoding=encoding,
            )
        ) from None
    if encoding.lower() not in ("utf-8", "utf8"):
        block = text.encode()
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").removesuffix(b"\r")
    return block
