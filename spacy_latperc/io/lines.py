"""Text files: those that a path stands for, and their lines in blocks."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from pathlib import Path

from ..errors import Errors
from .packed import open_unpacked

BLOCK_BYTES = 1 << 18
BYTE_ORDER_MARK = "\ufeff".encode()


def corpus_files(path: Path | str | None, *, suffix: str | None = None) -> list[Path]:
    """The file, or all files below the folder in the order of their names.

    Args:
        path: The file or folder.
        suffix: In a folder, only files whose names end with it. Hidden files never
            count.
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
        for file in path.rglob(f"*{suffix or ''}")
        if file.is_file() and not file.name.startswith(".")
    )
    if not files:
        wanted = f" whose names end with '{suffix}'" if suffix else ""
        raise FileNotFoundError(Errors.LP115.format(path=path, wanted=wanted))
    return files


def whole_lines(path: Path | str, *, size: int = BLOCK_BYTES) -> Iterator[bytes]:
    """A text file, plain or gzip-compressed, in blocks that end where a line does.

    Args:
        path: The file, or "-" for the standard input.
        size: Of what is read at once, in bytes.
    """
    pieces: list[bytes] = []
    with open_unpacked(path) as file:
        while block := file.read(size):
            end = block.rfind(b"\n") + 1
            if end:
                yield b"".join([*pieces, block[:end]])
                pieces = []
            pieces.append(block[end:])
    if rest := b"".join(pieces):
        yield rest


def line_blocks(path: Path, *, encoding: str = "utf-8") -> Iterator[tuple[int, bytes]]:
    """The lines of a file in UTF-8, some hundred kilobytes at a time.

    Small blocks keep the memory of a parser small, whatever the size of the file.

    Args:
        path: The file, plain or .gz.
        encoding: One that writes line ends as ASCII does.

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
