"""Hostile versions of good inputs: of bytes, of text, of nested values, of model files.

Every function takes the random generator first, and changes nothing that it is given.
"""

import copy
import json
import math
import struct
import zlib
from random import Random
from typing import Any

import numpy as np

from spacy_latperc.io.model_file import unpack

SCALARS: list[Any] = [
    None, True, False, 0, 1, -1, 2, 7, 255, 256, 65535, 65536,
    2**31 - 1, 2**31, -(2**31), 2**32, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64,
    10**30, 0.0, -0.0, 0.5, 1e-300, 1e300, math.inf, -math.inf, math.nan,
    "", "a", "\x00", "\ud800", "\U0001f9ff", "O", "B-NP", "I-", "B-", "-NP", "x" * 3000,
    "1", "nan", "null", [], {}, [[]], [0], ["a", "a"], {"a": 1}, b"", b"\xff\x00",
]  # fmt: skip
DTYPES = ["uint8", "uint16", "uint32", "uint64", "int16", "int32", "int64", "float32",
          "float64", "object", "", "S8"]  # fmt: skip
DEEP = "put something deep here"
BYTES = [0, 1, 9, 10, 13, 32, 127, 128, 0xC0, 0xED, 0xFE, 0xFF]
MAGIC = b"LATPERC\n"


def mutate_bytes(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    """Flip, cut, repeat, splice."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        at = rng.randrange(len(made) + 1)
        to = min(len(made), at + rng.choice((1, 2, 4, 8, 64, 1000)))
        match rng.randrange(8):
            case 0 if at < len(made):
                made[at] ^= 1 << rng.randrange(8)
            case 1 if at < len(made):
                made[at] = rng.choice(BYTES)
            case 2:
                del made[at:to]
            case 3:
                made[at:at] = made[at:to] * rng.choice((1, 2, 50))
            case 4:
                del made[at:]
            case 5:
                other = rng.choice(others)
                begin = rng.randrange(len(other) + 1)
                made[at:to] = other[begin : begin + rng.choice((1, 8, 64, 1000))]
            case 6:
                made[at:at] = rng.randbytes(rng.choice((1, 2, 8)))
            case _:
                made[at:to] = bytes([rng.choice(BYTES)]) * (to - at)
    return bytes(made)


def mutate_text(rng, data, others, words):
    """Lines and fields change places, or become words that mean something."""
    if rng.random() < 0.25:
        return mutate_bytes(rng, data, others)
    lines = data.split(b"\n")
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        at = rng.randrange(len(lines))
        fields = lines[at].replace(b"\t", b" ").split(b" ")
        field = rng.randrange(len(fields))
        match rng.randrange(9):
            case 0 | 1 | 2:
                fields[field] = rng.choice(words)
            case 3:
                fields[field] += rng.choice(words)
            case 4:
                del fields[field]
            case 5:
                fields.insert(field, rng.choice(words))
            case 6:
                lines.insert(at, rng.choice(lines))
                continue
            case 7:
                if len(lines) > 1:
                    del lines[at]
                continue
            case _:
                other = rng.choice(others).split(b"\n")
                lines[at] = rng.choice(other)
                continue
        separator = b"\t" if b"\t" in lines[at] else b" "
        lines[at] = separator.join(fields)
    return b"\n".join(lines)


def places(value: Any, found: list[tuple[Any, Any]] | None = None) -> list[tuple]:
    """All (container, key) pairs inside a value."""
    found = [] if found is None else found
    if isinstance(value, dict):
        items: Any = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    else:
        return found
    for key, item in items:
        found.append((value, key))
        places(item, found)
    return found


def near(rng: Random, value: Any) -> Any:
    """A value of the same type, more often than not."""
    if isinstance(value, bool) or value is None:
        return rng.choice((not value, 0, 1, "x"))
    if isinstance(value, int):
        step = rng.choice((1, -1, 2, -value, value, 2**31, 2**63))
        return rng.choice((value + step, float(value), str(value), -value))
    if isinstance(value, float):
        whole = int(value) if math.isfinite(value) else 0
        odd = (-value, value * 1e30, value * 1e-30, whole, math.nan, math.inf)
        return rng.choice(odd)
    if isinstance(value, str):
        at = rng.randrange(len(value) + 1)
        drop = value[:at] + value[at + 1 :]
        odd = rng.choice(("\x00", " ", "[", "|", "-", ":", "9", "\ud83d", "é"))
        return rng.choice(
            (drop, value[:at] + odd + value[at:], value * 2, value.upper())
        )
    if isinstance(value, list):
        shuffled = list(value)
        rng.shuffle(shuffled)
        cut = value[: rng.randrange(len(value) + 1)]
        return rng.choice((shuffled, cut, value + value, value[::-1], [value]))
    return rng.choice(SCALARS)


def mutate_value(rng: Random, value: Any, *, deep: bool = True) -> Any:
    """A copy in which some places are something else.

    deep: it will be JSON, which can be deeper than values are.
    """
    value = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        found = places(value)
        if not found:
            return rng.choice(SCALARS)
        container, key = rng.choice(found)
        match rng.randrange(8):
            case 0 | 1 | 2:
                container[key] = near(rng, container[key])
            case 3 | 4:
                container[key] = copy.deepcopy(rng.choice(SCALARS))
            case 5:
                del container[key]
            case 6:
                other, name = rng.choice(found)
                if name in other if isinstance(other, dict) else name < len(other):
                    container[key] = copy.deepcopy(other[name])
            case _:
                if deep and rng.random() < 0.2:
                    container[key] = DEEP
                elif isinstance(container, dict):
                    container[rng.choice(("", "x", "labels", "kind"))] = container[key]
    return value


def dump_json(rng: Random, value: Any) -> bytes:
    """JSON as lenient writers make it; not everything has one."""
    text = json.dumps(value, ensure_ascii=rng.random() < 0.7, default=repr)
    if DEEP in text:
        n = rng.choice((3, 50, 900, 3000, 100_000))
        text = text.replace(f'"{DEEP}"', rng.choice(("[" * n + "]" * n, "[" * n)))
    return text.encode("utf8", "surrogatepass")


MAPPED = 2  # the version whose arrays lie at multiples of 64 bytes
TIGHT = 3  # the version whose arrays are coded
ALIGNED = 64


def open_file(data: bytes) -> tuple[int, dict[str, Any], dict[str, tuple]]:
    """The version and the header of a good model file, and its arrays: (dtype, shape,
    bytes)."""
    version, length = struct.unpack_from("<II", data, 8)
    if version == TIGHT:
        header, found = unpack(data)
        return version, header, {name: _stored(x) for name, x in found.items()}
    header = json.loads(data[16 : 16 + length])
    at = 16 + length
    first = -(-(at + 4) // ALIGNED) * ALIGNED
    arrays = {}
    for name, dtype, shape, *place in header.pop("arrays"):
        at = first + place[0] if version == MAPPED else at
        size = math.prod(shape) * np.dtype(dtype).itemsize
        arrays[name] = (dtype, shape, data[at : at + size])
        at += size
    return version, header, arrays


def _stored(array: np.ndarray) -> tuple[str, list[int], bytes]:
    return array.dtype.name, list(array.shape), array.tobytes()


def _coded(dtype: str, content: bytes) -> bytes:
    """The bytes of an array as version 3 writes them."""
    size = np.dtype(dtype).itemsize if dtype in DTYPES[:9] else 1
    if not len(content) % size:
        content = np.frombuffer(content, np.uint8).reshape(-1, size).T.tobytes()
    return zlib.compress(content)


def close_file(rng, version, header, arrays):
    """A file with a right checksum, whatever stands in it."""
    listing: Any = [[name, dtype, shape] for name, (dtype, shape, _) in arrays.items()]
    chunks = [content for _, _, content in arrays.values()]
    if version == MAPPED:
        chunks = [chunk + bytes(-len(chunk) % ALIGNED) for chunk in chunks]
        places = np.cumsum([0, *map(len, chunks)]).tolist()
        listing = [[*row, at] for row, at in zip(listing, places, strict=False)]
    elif version == TIGHT:
        chunks = [_coded(dtype, content) for dtype, _, content in arrays.values()]
        rows = zip(listing, chunks, strict=True)
        listing = [[*row, len(x), rng.random() < 0.01] for row, x in rows]
    if isinstance(header, dict):
        if rng.random() < 0.05:
            listing = mutate_value(rng, listing)
        header = {**header, "arrays": listing}
        if rng.random() < 0.01:
            del header["arrays"]
    text = dump_json(rng, header)
    length = len(text) if rng.random() > 0.01 else rng.choice((0, 2**32 - 1, 7))
    named = rng.choice((version,) * 50 + (0, 1, 2, 2**32 - 1))
    body = MAGIC + struct.pack("<II", named, length) + text
    if version == MAPPED:
        body += struct.pack("<I", zlib.crc32(body))
        body += bytes(-len(body) % ALIGNED)
    body += b"".join(chunks)
    return body + struct.pack("<I", zlib.crc32(body))


def mutate_array(rng: Random, array: tuple) -> tuple:
    dtype, shape, content = array
    if dtype not in DTYPES[:9] or len(content) % np.dtype(dtype).itemsize:
        return dtype, shape, content[:-1]  # it was mutated before
    kind = np.dtype(dtype)
    values = np.frombuffer(content, kind).copy()
    match rng.randrange(8):
        case 0 | 1 | 2 if len(values):
            at = rng.randrange(len(values))
            if kind.kind == "f":
                odd = (math.nan, math.inf, -math.inf, 1e38, 3e-45, 0.0, -1.0)
                values[at] = rng.choice(odd)
            else:
                top = int(np.iinfo(kind).max)
                odd = (0, 1, 2, top, top - 1, top // 2, len(values), rng.randrange(top))
                values[at] = rng.choice([x for x in odd if x <= top])
        case 3:
            rng_np = np.random.default_rng(rng.randrange(2**32))
            rng_np.shuffle(values)
        case 4:
            values = values[: rng.randrange(len(values) + 1)]
        case 5:
            values = np.concatenate([values, values[: rng.randrange(len(values) + 1)]])
        case 6:
            dtype = rng.choice(DTYPES)
            return dtype, shape, content
        case _:
            size = math.prod(shape)
            odd = ([size], [1, size], [size, 1], [], [-1], [size + 1], [0, 2**62])
            return dtype, rng.choice(odd), content
    return dtype, [len(values)], values.tobytes()


def mutate_file(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    """A model file, mostly with a right checksum."""
    if rng.random() < 0.08:
        return mutate_bytes(rng, data, others)
    try:
        version, header, arrays = open_file(data)
    except Exception:  # one that was mutated before
        return mutate_bytes(rng, data, others)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        names = list(arrays)
        choice = rng.random()
        if choice < 0.45 or not names:
            header = mutate_value(rng, header, deep=choice < 0.05)
            continue
        name = rng.choice(names)
        inner = arrays[name][2]
        if inner[:8] == MAGIC and rng.random() < 0.8:
            made = mutate_file(rng, inner, others)
            arrays[name] = ("uint8", [len(made)], made)
        elif choice < 0.85:
            arrays[name] = mutate_array(rng, arrays[name])
        elif choice < 0.9:
            del arrays[name]
        elif choice < 0.95:
            arrays[name] = arrays[rng.choice(names)]
        else:
            arrays[rng.choice((name + "0", "", "\ud800", "9.keys"))] = arrays[name]
    return close_file(rng, version, header, arrays)
