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


@pytest.mark.parametrize("format", STARTS)
def test_packed_formats_are_called_by_their_names(tmp_path, format):
    path = tmp_path / "corpus.data"
    path.write_bytes(STARTS[format])
    with (
        pytest.raises(ValueError, match=f"LP564.*corpus.data.*format {format}"),
        open_unpacked(path),
    ):
        pass


@pytest.mark.parametrize("text", [b"PAR1 NN\n", b"BZh NN\n", b"PK x\n", b"ARROW1 x\n"])
def test_packed_words_are_no_formats(text):
    assert packing_of(text) is None


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
@pytest.mark.parametrize("cut", [1, 9, 40])
def test_packed_file_that_was_cut_off_is_named(tmp_path, suffix, cut):
    path = tmp_path / f"text{suffix}"
    path.write_bytes(pack(path, LONG)[:-cut])
    with (
        pytest.raises(ValueError, match=rf"LP110.*text\{suffix}.*truncated"),
        open_unpacked(path) as file,
    ):
        file.read()


@pytest.mark.parametrize("suffix", PACKED_SUFFIXES)
def test_packed_file_that_is_damaged_is_named(tmp_path, suffix):
    path = tmp_path / f"text{suffix}"
    packed = pack(path, LONG)
    middle = len(packed) // 2
    path.write_bytes(packed[:middle] + b"damaged" + packed[middle + 7 :])
    with pytest.raises(ValueError, match="LP110"), open_unpacked(path) as file:
        file.read()


def test_packed_with_what_is_not_installed(tmp_path, monkeypatch):
    pack(tmp_path / "text.zst", LONG)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with (
        pytest.raises(ValueError, match=r"LP571.*Zstandard.*\[formats\]"),
        open_unpacked(tmp_path / "text.zst"),
    ):
        pass


def test_packed_names():
    names = ["a.jsonl.gz", "a.txt.zst", "a.b", "a.gz.xz"]
    assert [without_packing(name) for name in names] == [
        "a.jsonl",
        "a.txt",
        "a.b",
        "a.gz",
    ]


def test_packed_folder_is_no_file(tmp_path):
    with pytest.raises(IsADirectoryError, match="LP561"), open_unpacked(tmp_path):
        pass
