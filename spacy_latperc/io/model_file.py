"""Model files: a header in JSON, then plain arrays, then a checksum. Nothing in them is
ever executed.

    8 bytes magic · uint32 format version · uint32 header length · header (UTF-8 JSON,
    which lists name, dtype and shape of each array) · arrays, little-endian · CRC-32
"""

import json
import math
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import Errors

MAGIC = b"LATPERC\n"
FORMAT_VERSION = 1
# What reading a damaged header may raise: RecursionError where lists in lists never
# end, OverflowError where a number is too large for its place.
DAMAGED = (
    ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError,
)  # fmt: skip
_DTYPES = {
    "uint8": "|u1", "uint16": "<u2", "uint32": "<u4", "uint64": "<u8",
    "int16": "<i2", "int32": "<i4", "int64": "<i8", "float32": "<f4",
    "float64": "<f8",
}  # fmt: skip


def pack(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """One file of a header and named arrays."""
    try:
        return _packed(header, arrays)
    except MemoryError:
        size = sum(array.nbytes for array in arrays.values())
        raise MemoryError(Errors.LP591.format(mb=size / 1e6)) from None


def _packed(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    listing = []
    chunks = []
    for name, array in arrays.items():
        listing.append([name, array.dtype.name, list(array.shape)])
        chunks.append(np.ascontiguousarray(array, _DTYPES[array.dtype.name]).tobytes())
    text = json.dumps({**header, "arrays": listing}, sort_keys=True).encode("utf8")
    body = b"".join(
        [MAGIC, struct.pack("<II", FORMAT_VERSION, len(text)), text, *chunks]
    )
    return body + struct.pack("<I", zlib.crc32(body))


def read_header(data: bytes) -> dict[str, Any]:
    """The header alone, unchecked; empty if it cannot be read, which `unpack` says."""
    try:
        _, length = struct.unpack_from("<II", data, 8)
        header = json.loads(data[16 : 16 + length].decode("utf8"))
    except (*DAMAGED, struct.error):
        return {}
    return header if isinstance(header, dict) else {}


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The header and the arrays of what `pack` made."""
    if data[:8] != MAGIC:
        raise ValueError(Errors.LP020)
    if len(data) < 20:
        raise ValueError(Errors.LP021.format(size=len(data)))
    version, length = struct.unpack_from("<II", data, 8)
    if version > FORMAT_VERSION:
        raise ValueError(Errors.LP022.format(found=version, known=FORMAT_VERSION))
    if zlib.crc32(data[:-4]) != struct.unpack("<I", data[-4:])[0]:
        raise ValueError(Errors.LP021.format(size=len(data)))
    try:
        header = json.loads(data[16 : 16 + length].decode("utf8"))
        arrays = {}
        at = 16 + length
        for name, dtype, shape in header.pop("arrays"):
            if not all(type(n) is int and 0 <= n <= len(data) for n in shape):
                raise ValueError(f"{name} has the shape {shape!r}"[:200])
            n = math.prod(shape)
            array = np.frombuffer(data, dtype=_DTYPES[dtype], count=n, offset=at)
            # A copy, for kernels want it aligned: here it may begin at any byte.
            arrays[name] = array.astype(dtype).reshape(shape)
            at += array.nbytes
    except DAMAGED as error:
        raise ValueError(Errors.LP023.format(error=error)) from error
    if at != len(data) - 4:
        raise ValueError(Errors.LP021.format(size=len(data)))
    return header, arrays
