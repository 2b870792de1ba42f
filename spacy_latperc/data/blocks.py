"""Text files in blocks of whole lines, plain or gzip-compressed, checked for UTF-8."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ..errors import Errors
from ..io.packed import open_unpacked

BLOCK_BYTES = 1 << 18
BYTE_ORDER_MARK = "\ufeff".encode()


def line_blocks(path: Path, *, encoding: str = "utf-8") -> Iterator[tuple[int, bytes]]:
    """The lines of a file in UTF-8, some hundred kilobytes at a time.

    Small blocks keep the memory of a parser small, whatever the size of the file.
    encoding: One that writes line ends as ASCII does.
    YIELDS: The 1-based number of the first line, and lines joined by newlines.
    """
    line = 1
    offset = 0
    with open_unpacked(path) as file:
        for block in _whole_lines(file):
            text = _as_utf8(block, path, encoding, line, offset)
            yield line, text if offset else text.removeprefix(BYTE_ORDER_MARK)
            line += block.count(b"\n") + 1
            offset += len(block) + 1


def _whole_lines(file: BinaryIO) -> Iterator[bytes]:
    """Blocks without their last newline."""
    rest = b""
    while block := file.read(BLOCK_BYTES):
        whole, newline, rest_of_block = block.rpartition(b"\n")
        if newline:
            yield rest + whole
            rest = rest_of_block
        else:
            rest += block
    if rest:
        yield rest


def _as_utf8(block: bytes, path: Path, encoding: str, line: int, offset: int) -> bytes:
    try:
        text = block.decode(encoding)
    except UnicodeDecodeError as error:
        raise ValueError(
            Errors.LP102.format(
                path=path,
                line=line + block.count(b"\n", 0, error.start),
                byte=f"0x{block[error.start]:02x}",
                offset=offset + error.start,
                encoding=encoding,
            )
        ) from None
    except LookupError:
        raise ValueError(Errors.LP103.format(encoding=encoding)) from None
    if encoding.lower() not in ("utf-8", "utf8"):
        block = text.encode()
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").removesuffix(b"\r")
    return block
