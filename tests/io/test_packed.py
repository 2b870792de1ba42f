"""Text is read as it is or unpacked; anything else is called by its name."""

import gzip
import sys

import pytest

from spacy_latperc.io.packed import (
    PACKED_SUFFIXES,
    open_to_pack,
    open_unpacked,
    packing_of,
    without_packing,
)

TEXT = b"a sentence\n"
# The first bytes of formats that Python cannot write.
STARTS = {
    "Parquet": b"PAR1\x15\x04",
    "zip": b"PK\x03\x04\x14",
    "Arrow": b"ARROW1\x00\x00",
    "LZ4": b"\x04\x22\x4d\x18\x64",
    "7z": b"7z\xbc\xaf\x27\x1c\x00",
}


@pytest.mark.parametrize(
    "packed", [TEXT, gzip.compress(TEXT, mtime=0), b"", b"P", b"\x1f"]
)
@pytest.mark.parametrize("name", ["text.txt", "text.gz"])
def test_packed_text_is_read_whatever_its_name(tmp_path, packed, name):
    path = tmp_path / name
    path.write_bytes(packed)
    with open_unpacked(path) as file:
        assert file.read() == (TEXT if len(packed) > 1 else packed)


def test_packed_formats_are_called_by_their_names(tmp_path):
    path = tmp_path / "corpus.data"
    for name, start in STARTS.items():
        path.write_bytes(start)
        refused = pytest.raises(ValueError, match=f"LP564.*corpus.data.*format {name}")
        with refused, open_unpacked(path):
            pass
    for text in (b"PAR1 NN\n", b"BZh NN\n", b"PK x\n", b"ARROW1 x\n"):
        assert packing_of(text) is None
    for name, plain in (("a.jsonl.gz", "a.jsonl"), ("a.b", "a.b"), ("a.gz.xz", "a.gz")):
        assert without_packing(name) == plain
    with pytest.raises(IsADirectoryError, match="LP561"), open_unpacked(tmp_path):
        pass


LONG = bytes(range(256)) * 1000


def pack(path, content):
    with open_to_pack(path) as file:
        file.write(content)
    return path.read_bytes()


@pytest.mark.parametrize("suffix", ["", *PACKED_SUFFIXES])
def test_packed_files_are_read_as_they_were_written(tmp_path, suffix):
    once = pack(tmp_path / f"one{suffix}", LONG)
    assert packing_of(once) == PACKED_SUFFIXES.get(suffix)
    assert pack(tmp_path / f"two{suffix}", LONG) == once  # no names, no times
    (tmp_path / "joined").write_bytes(once + once)
    with open_unpacked(tmp_path / "joined") as file:
        assert file.read() == LONG + LONG


@pytest.mark.parametrize("suffix", PACKED_SUFFIXES)
def test_packed_file_that_was_cut_off_or_damaged_is_named(tmp_path, suffix):
    path = tmp_path / f"text{suffix}"
    packed = pack(path, LONG)
    middle = len(packed) // 2
    damaged = packed[:middle] + b"damaged" + packed[middle + 7 :]
    for content in (packed[:-1], packed[:-9], packed[:-40], damaged):
        path.write_bytes(content)
        problem = "" if content == damaged else "truncated"
        refused = pytest.raises(ValueError, match=rf"LP110.*text\{suffix}.*{problem}")
        with refused, open_unpacked(path) as file:
            file.read()


def test_packed_with_what_is_not_installed(tmp_path, monkeypatch):
    pack(tmp_path / "text.zst", LONG)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    refused = pytest.raises(ValueError, match=r"LP571.*Zstandard.*\[formats\]")
    with refused, open_unpacked(tmp_path / "text.zst"):
        pass
