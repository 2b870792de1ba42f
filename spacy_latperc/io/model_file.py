"""Model files: a header in JSON, arrays, and a checksum. Loading executes nothing.

    8 bytes magic · uint32 format version · uint32 header length · header (UTF-8 JSON,
    which lists name, dtype and shape of each array) · arrays, little-endian · CRC-32

Version 2 is for large tables, which are memory-mapped, so that processes share them.
The header is followed by its own CRC-32. Each array starts at a multiple of 64 bytes,
which is stored in the header.

Version 3 is for small files: like version 1, but arrays are compressed. Their bytes are
transposed (all first bytes of the numbers, then all second bytes, and so on) and
deflated, at most to an eighth, so that a small file cannot claim much memory. Of
numbers that mostly increase, the differences are stored.
"""

import json
import math
import mmap
import struct
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import Errors

MAGIC = b"LATPERC\n"
FORMAT_VERSION = 1
MAPPED_VERSION = 2
TIGHT_VERSION = 3
_ALIGNED = 64
_MOST = 8  # the highest compression
# The errors that a damaged header may raise.
DAMAGED = (
    ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError,
)  # fmt: skip
_DTYPES = {
    "uint8": "|u1", "uint16": "<u2", "uint32": "<u4", "uint64": "<u8",
    "int16": "<i2", "int32": "<i4", "int64": "<i8", "float32": "<f4",
    "float64": "<f8",
}  # fmt: skip


def pack(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """Write a file of version 1 from a header and named arrays."""
    try:
        return _packed(header, arrays)
    except MemoryError:
        size = sum(array.nbytes for array in arrays.values())
        raise MemoryError(Errors.LP591.format(mb=size / 1e6)) from None


def _packed(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    listing = []
    chunks: list[Any] = []
    for name, array in arrays.items():
        listing.append([name, array.dtype.name, list(array.shape)])
        content = np.ascontiguousarray(array, _DTYPES[array.dtype.name])
        chunks.append(content.reshape(-1).view(np.uint8).data)
    text = json.dumps({**header, "arrays": listing}, sort_keys=True).encode("utf8")
    pieces = [MAGIC, struct.pack("<II", FORMAT_VERSION, len(text)), text, *chunks]
    checksum = 0
    for piece in pieces:  # copies the arrays only once
        checksum = zlib.crc32(piece, checksum)
    return b"".join([*pieces, struct.pack("<I", checksum)])


def pack_mapped(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """Write a file of version 2 from a header and named arrays."""
    listing: list[list[Any]] = []
    at = 0
    for name, array in arrays.items():
        listing.append([name, array.dtype.name, list(array.shape), at])
        at = _aligned(at + array.nbytes)
    # Offsets count from the first array, so the header's length does not matter.
    text = json.dumps({**header, "arrays": listing}, sort_keys=True).encode("utf8")
    body = bytearray(MAGIC + struct.pack("<II", MAPPED_VERSION, len(text)) + text)
    body += struct.pack("<I", zlib.crc32(body))
    first = _aligned(len(body))
    body += bytes(first + at - len(body))
    for (_, _, _, place), array in zip(listing, arrays.values(), strict=True):
        content = np.ascontiguousarray(array, _DTYPES[array.dtype.name])
        start = first + place
        body[start : start + array.nbytes] = content.reshape(-1).view(np.uint8).data
    return bytes(body + struct.pack("<I", zlib.crc32(body)))


def _aligned(n: int) -> int:
    return -(-n // _ALIGNED) * _ALIGNED


def pack_tight(
    header: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
    rising: Collection[str] = (),
) -> bytes:
    """Write a file of version 3.

    Args:
        header: The header.
        arrays: The arrays by name.
        rising: The names of arrays of integers that mostly increase.
    """
    listing: list[list[Any]] = []
    chunks = []
    for name, array in arrays.items():
        chunk = _deflated(_in_planes(array, name in rising))
        chunks.append(chunk)
        listing.append(
            [name, array.dtype.name, list(array.shape), len(chunk), name in rising]
        )
    text = json.dumps({**header, "arrays": listing}, sort_keys=True).encode("utf8")
    start = struct.pack("<II", TIGHT_VERSION, len(text))
    body = b"".join([MAGIC, start, text, *chunks])
    return body + struct.pack("<I", zlib.crc32(body))


def _deflated(data: bytes) -> bytes:
    for strategy in (zlib.Z_DEFAULT_STRATEGY, zlib.Z_HUFFMAN_ONLY):
        coder = zlib.compressobj(6, strategy=strategy)
        chunk = coder.compress(data) + coder.flush()
        if len(data) <= _MOST * len(chunk):
            break
    return chunk


def _in_planes(array: np.ndarray, rising: bool) -> bytes:
    """Transpose the bytes: all first bytes, then all second bytes, and so on."""
    flat = np.ascontiguousarray(array, _DTYPES[array.dtype.name]).reshape(-1)
    if rising:
        before = np.concatenate([np.zeros(1, flat.dtype), flat[:-1]])[: len(flat)]
        flat = flat - before
    return flat.view(np.uint8).reshape(-1, array.dtype.itemsize).T.tobytes()


def _from_planes(data: bytes, dtype: str, rising: bool) -> np.ndarray:
    if not data:
        return np.empty(0, dtype)
    planes = np.frombuffer(data, np.uint8).reshape(np.dtype(dtype).itemsize, -1)
    flat = np.ascontiguousarray(planes.T).reshape(-1).view(_DTYPES[dtype]).astype(dtype)
    return np.cumsum(flat, dtype=dtype) if rising else flat


def _read_tight(
    data: bytes, listing: list[Any], at: int
) -> tuple[dict[str, np.ndarray], int]:
    """Read the arrays of version 3, and their end."""
    arrays = {}
    for name, dtype, shape, stored, rising in listing:
        if not all(type(n) is int and 0 <= n <= len(data) * _MOST for n in shape):
            raise ValueError(f"{name} has the shape {shape!r}"[:200])
        size = math.prod(shape) * np.dtype(_DTYPES[dtype]).itemsize
        if type(stored) is not int or not size <= _MOST * stored <= _MOST * len(data):
            raise ValueError(f"{name} is coded in {stored!r} bytes"[:200])
        if rising is not False and (rising is not True or dtype[:4] != "uint"):
            raise ValueError(f"{name} does not rise")
        coder = zlib.decompressobj()
        try:
            found = coder.decompress(data[at : at + stored], size + 1)
        except zlib.error as error:
            raise ValueError(f"{name}: {error}") from error
        if len(found) != size or not coder.eof or coder.unused_data:
            raise ValueError(f"{name} has another size")
        arrays[name] = _from_planes(found, dtype, rising).reshape(shape)
        at += stored
    return arrays, at


def map_file(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read the header and the arrays of a file, memory-mapping those of version 2.

    Mapped arrays are read-only. Their content is not compared with the checksum, so
    callers must tolerate any numbers. The file may only be replaced as a whole.
    """
    with path.open("rb") as file:
        start = file.read(16)
        if start[:8] != MAGIC or start[8:12] != struct.pack("<I", MAPPED_VERSION):
            file.seek(0)
            return unpack(file.read())
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return _read_mapped(data)


def _read_mapped(data: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    size = len(data)
    length = struct.unpack("<I", data[12:16])[0] if size >= 16 else size
    if size < 24 + length:
        raise ValueError(Errors.LP021.format(size=size))
    text = data[: 16 + length]
    if zlib.crc32(text) != struct.unpack_from("<I", data, 16 + length)[0]:
        raise ValueError(Errors.LP021.format(size=size))
    first = _aligned(20 + length)
    end = first
    try:
        header = json.loads(text[16:].decode("utf8"))
        arrays = {}
        for name, dtype, shape, place in header.pop("arrays"):
            if not all(type(n) is int and 0 <= n <= size for n in [*shape, place]):
                raise ValueError(f"{name} has the shape {shape!r}"[:200])
            n, at = math.prod(shape), first + place
            # Raises an error beyond the end of the file.
            array = np.frombuffer(data, dtype=_DTYPES[dtype], count=n, offset=at)
            if place % _ALIGNED:
                raise ValueError(f"{name} is out of place")
            # Kernels require alignment, which bytes do not guarantee.
            arrays[name] = np.require(array.reshape(shape), requirements="A")
            end = max(end, _aligned(at + array.nbytes))
    except DAMAGED as error:
        raise ValueError(Errors.LP023.format(error=error)) from error
    if end != size - 4:
        raise ValueError(Errors.LP021.format(size=size))
    return header, arrays


def read_header(data: bytes) -> dict[str, Any]:
    """Read only the header, without checks; empty if it is damaged."""
    try:
        _, length = struct.unpack_from("<II", data, 8)
        header = json.loads(data[16 : 16 + length].decode("utf8"))
    except (*DAMAGED, struct.error):
        return {}
    return header if isinstance(header, dict) else {}


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read the header and the arrays of a file of any version."""
    if data[:8] != MAGIC:
        raise ValueError(Errors.LP020)
    if len(data) < 20:
        raise ValueError(Errors.LP021.format(size=len(data)))
    version, length = struct.unpack_from("<II", data, 8)
    if version > TIGHT_VERSION:
        raise ValueError(Errors.LP022.format(found=version, known=TIGHT_VERSION))
    if zlib.crc32(memoryview(data)[:-4]) != struct.unpack("<I", data[-4:])[0]:
        raise ValueError(Errors.LP021.format(size=len(data)))
    if version == MAPPED_VERSION:
        return _read_mapped(data)
    try:
        header = json.loads(data[16 : 16 + length].decode("utf8"))
        read = _read_tight if version == TIGHT_VERSION else _read_plain
        arrays, at = read(data, header.pop("arrays"), 16 + length)
    except DAMAGED as error:
        raise ValueError(Errors.LP023.format(error=error)) from error
    if at != len(data) - 4:
        raise ValueError(Errors.LP021.format(size=len(data)))
    return header, arrays


def _read_plain(
    data: bytes, listing: list[Any], at: int
) -> tuple[dict[str, np.ndarray], int]:
    """Read the arrays of version 1, and their end."""
    arrays = {}
    for name, dtype, shape in listing:
        if not all(type(n) is int and 0 <= n <= len(data) for n in shape):
            raise ValueError(f"{name} has the shape {shape!r}"[:200])
        n = math.prod(shape)
        array = np.frombuffer(data, dtype=_DTYPES[dtype], count=n, offset=at)
        # A copy, since kernels require alignment.
        arrays[name] = array.astype(dtype).reshape(shape)
        at += array.nbytes
    return arrays, at
