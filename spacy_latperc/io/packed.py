"""Compressed files, detected by their first bytes, written by their suffix."""

import bz2
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..errors import Errors
from .places import import_extra, is_url, open_url

STDIN = "-"
GZIP, XZ, BZIP2, ZSTANDARD, PARQUET = "gzip", "xz", "bzip2", "Zstandard", "Parquet"
PACKED_SUFFIXES = {".gz": GZIP, ".xz": XZ, ".bz2": BZIP2, ".zst": ZSTANDARD}

_FIRST_BYTES = {
    b"\x1f\x8b": GZIP,
    b"\xfd7zXZ\x00": XZ,
    **{b"BZh%d1AY&SY" % level: BZIP2 for level in range(1, 10)},
    b"\x28\xb5\x2f\xfd": ZSTANDARD,
    b"PAR1\x15": PARQUET,
    b"PK\x03\x04": "zip",
    b"ARROW1\x00\x00": "Arrow",
    b"\x04\x22\x4d\x18": "LZ4",
    b"7z\xbc\xaf\x27\x1c": "7z",
}
_ADVICE = {
    "LZ4": "Unpack it with `lz4 -d`",
    "zip": "Unpack it with `unzip`",
    "7z": "Unpack it with `7z x`",
    PARQUET: "Write its text as plain text or JSONL, with pandas or DuckDB",
    "Arrow": "Write its text as plain text or JSONL, with pandas or DuckDB",
}
_DAMAGED = (gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError)
_MOST = max(map(len, _FIRST_BYTES))


def packing_of(start: bytes) -> str | None:
    """The format of a file that is not plain text, by its first bytes."""
    return next((x for key, x in _FIRST_BYTES.items() if start.startswith(key)), None)


def first_bytes(path: Path) -> bytes:
    """The first bytes of a file, as many as `packing_of` needs."""
    with path.open("rb") as file:
        return file.read(_MOST)


def without_packing(name: str) -> str:
    """The name of a file without the suffix of a compression."""
    return name.removesuffix(next(filter(name.endswith, PACKED_SUFFIXES), ""))


@contextmanager
def open_unpacked(
    path: Path | str, opened: Callable[[BinaryIO], object] = bool
) -> Iterator[BinaryIO]:
    """Open a text, decompressing gzip, xz, bzip2 and Zstandard whatever its name.

    Args:
        path: The file, its URL, or "-" for the standard input.
        opened: Called with the packed file, whose position tells the progress.

    Raises:
        FileNotFoundError: The file does not exist.
        IsADirectoryError: The path is a folder.
        ValueError: The format is not supported (the message says how to unpack it), the
            file is damaged, or the standard input is closed.
    """
    if str(path) == STDIN:
        if sys.stdin is None:  # closed before Python started: `<&-`
            raise ValueError(Errors.LP583.format(stream="input"))
        with _unpacked(sys.stdin.buffer, "standard input") as file:
            yield file
        return
    if isinstance(path, Path) or not is_url(path):
        path = Path(path)
        if path.is_dir():
            raise IsADirectoryError(Errors.LP561.format(path=path))
        if not path.exists():
            raise FileNotFoundError(Errors.LP101.format(path=path))
    packed = path.open("rb") if isinstance(path, Path) else open_url(path)
    with packed as plain, _unpacked(plain, str(path)) as file:
        opened(plain)
        yield file


@contextmanager
def _unpacked(plain: BinaryIO, name: str) -> Iterator[BinaryIO]:
    # A pipe cannot be read twice.
    found = packing_of(plain.peek(_MOST)) if hasattr(plain, "peek") else None
    if found is None:
        yield plain
        return
    if found in _ADVICE:
        advice = _ADVICE[found]
        raise ValueError(Errors.LP564.format(path=name, format=found, advice=advice))
    damaged: tuple[type[Exception], ...] = _DAMAGED
    if found == ZSTANDARD:
        damaged = (*damaged, import_extra("zstandard", name, ZSTANDARD).ZstdError)
    try:
        with closing(_reader(plain, found, name)) as unpacked:
            yield unpacked
    except (*damaged, OSError) as error:  # type: ignore[misc]
        # bz2 raises an OSError without a number for damaged data.
        of_bzip2 = found == BZIP2 and getattr(error, "errno", 0) is None
        if not (of_bzip2 or isinstance(error, damaged)):
            raise
        message = Errors.LP110.format(path=name, format=found, error=error)
        raise ValueError(message) from error


def _reader(plain: BinaryIO, packing: str, name: str) -> BinaryIO:
    if packing == GZIP:
        return cast(BinaryIO, gzip.GzipFile(fileobj=plain))
    if packing == XZ:
        return cast(BinaryIO, lzma.LZMAFile(plain))
    if packing == BZIP2:
        return cast(BinaryIO, bz2.BZ2File(plain))
    module = import_extra("zstandard", name, ZSTANDARD)
    return cast(BinaryIO, io.BufferedReader(_ZstandardReader(plain, module), 1 << 17))


class _ZstandardReader(io.RawIOBase):
    """A reader of all Zstandard frames of a file. Unlike the reader of the package, it
    raises an error if the file is truncated."""

    def __init__(self, plain: BinaryIO, module: Any):
        self._plain = plain
        self._new = lambda: module.ZstdDecompressor().decompressobj()
        self._frame: Any = None
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            # A block may decompress to ten thousand times its size.
            packed = self._plain.read(1 << 11)
            if not packed:
                if self._frame is not None:
                    raise EOFError("it is truncated")
                return 0
            pieces = []
            while packed:
                frame = self._frame or self._new()
                pieces.append(frame.decompress(packed))
                packed = frame.unused_data
                self._frame = None if frame.eof else frame
            self._ready = memoryview(b"".join(pieces))
        n = min(len(buffer), len(self._ready))
        buffer[:n] = self._ready[:n]
        self._ready = self._ready[n:]
        return n


@contextmanager
def open_to_pack(path: Path, name: str | None = None) -> Iterator[BinaryIO]:
    """Open a file for writing, compressed according to its name, or another name."""
    with path.open("wb") as plain, packed(plain, name or path.name) as file:
        yield file


@contextmanager
def packed(plain: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """Write to an open file, compressed according to a name. Equal contents give equal
    bytes: no time is stored."""
    packing = PACKED_SUFFIXES.get(Path(name).suffix)
    if packing is None:
        yield plain
        return
    with closing(_writer(plain, packing, name)) as file:
        yield file


def _writer(plain: BinaryIO, packing: str, name: str) -> BinaryIO:
    if packing == GZIP:
        packed: Any = gzip.GzipFile("", "wb", fileobj=plain, mtime=0)
    elif packing == XZ:
        packed = lzma.LZMAFile(plain, "wb")
    elif packing == BZIP2:
        packed = bz2.BZ2File(plain, "wb")
    else:
        compressor = import_extra("zstandard", name, ZSTANDARD).ZstdCompressor(
            write_checksum=True
        )
        packed = compressor.stream_writer(plain, closefd=False)
    return cast(BinaryIO, packed)
