"""Text is read as it is or through gzip; anything else is called by its name."""

import bz2
import gzip
import lzma

import pytest

from spacy_latperc.io.packed import open_unpacked, packing_of

TEXT = b"a sentence\n"
# The first bytes of formats that Python cannot write.
STARTS = {
    "Zstandard": b"\x28\xb5\x2f\xfd\x24\x05",
    "Parquet": b"PAR1\x15\x04",
    "zip": b"PK\x03\x04\x14",
    "Arrow": b"ARROW1\x00\x00",
    "LZ4": b"\x04\x22\x4d\x18\x64",
    "7z": b"7z\xbc\xaf\x27\x1c\x00",
    "xz": lzma.compress(TEXT),
    "bzip2": bz2.compress(TEXT),
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
        pytest.raises(ValueError, match=f"LP564.*corpus.data is packed with {format}"),
        open_unpacked(path),
    ):
        pass


@pytest.mark.parametrize("text", [b"PAR1 NN\n", b"BZh NN\n", b"PK x\n", b"ARROW1 x\n"])
def test_packed_words_are_no_formats(text):
    assert packing_of(text) is None


def test_packed_file_that_was_cut_off_is_named(tmp_path):
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(TEXT * 100)[:-9])
    with (
        pytest.raises(ValueError, match=r"LP110.*text\.gz.*cut off"),
        open_unpacked(path) as file,
    ):
        file.read()


def test_packed_folder_is_no_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="LP101"), open_unpacked(tmp_path):
        pass
