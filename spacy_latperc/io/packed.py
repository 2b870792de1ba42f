"""What a file is packed with, told by its first bytes."""

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from ..errors import Errors

STDIN = "-"
GZIP = "gzip"
_FIRST_BYTES = {
    b"\x1f\x8b": GZIP,
    b"\xfd7zXZ\x00": "xz",
    **{b"BZh%d1AY&SY" % level: "bzip2" for level in range(1, 10)},
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"PAR1\x15": "Parquet",
    b"PK\x03\x04": "zip",
    b"ARROW1\x00\x00": "Arrow",
    b"\x04\x22\x4d\x18": "LZ4",
    b"7z\xbc\xaf\x27\x1c": "7z",
}
_ADVICE = {
    "xz": "Unpack it with `xz -d`",
    "bzip2": "Unpack it with `bzip2 -d`",
    "Zstandard": "Unpack it with `zstd -d`",
    "LZ4": "Unpack it with `lz4 -d`",
    "zip": "Unpack it with `unzip`",
    "7z": "Unpack it with `7z x`",
    "Parquet": "Write its text as plain text or JSONL, with pandas or DuckDB",
    "Arrow": "Write its text as plain text or JSONL, with pandas or DuckDB",
}
_MOST = max(map(len, _FIRST_BYTES))


def packing_of(start: bytes) -> str | None:
    """The name of a format that is no plain text, by the first bytes of a file."""
    return next((x for key, x in _FIRST_BYTES.items() if start.startswith(key)), None)


@contextmanager
def open_unpacked(path: Path | str) -> Iterator[BinaryIO]:
    """Open text that may be packed with gzip, whatever its name.

    Args:
        path: The file, or "-" for the standard input.

    Returns:
        Its bytes, unpacked.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is packed with something else (the message says how to unpack
            it), or is damaged.
    """
    if str(path) == STDIN:
        with _unpacked(sys.stdin.buffer, "standard input") as file:
            yield file
        return
    path = Path(path)
    if not path.exists() or path.is_dir():
        raise FileNotFoundError(Errors.LP101.format(path=path))
    with path.open("rb") as plain, _unpacked(plain, str(path)) as file:
        yield file


@contextmanager
def _unpacked(plain: BinaryIO, name: str) -> Iterator[BinaryIO]:
    # A look ahead, since a pipe cannot be read twice.
    found = packing_of(plain.peek(_MOST)) if hasattr(plain, "peek") else None
    if found is None:
        yield plain
        return
    if found != GZIP:
        advice = _ADVICE[found]
        raise ValueError(Errors.LP564.format(path=name, format=found, advice=advice))
    try:
        with gzip.GzipFile(fileobj=plain) as unpacked:
            yield cast(BinaryIO, unpacked)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(Errors.LP110.format(path=name, error=error)) from error
