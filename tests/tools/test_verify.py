"""The check of the corpora against their checksums."""

import hashlib

import pytest

from tools.corpora import verify as module
from tools.corpora.datasets import DATASETS, DataFile, Dataset
from tools.corpora.verify import main, verify

CONTENT = b"some words\n"
SUM = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A data folder with one small set that is complete."""
    file = DataFile("little/train.txt", SUM)
    dataset = Dataset("Little", "CC0", (file,))
    monkeypatch.setitem(module.DATASETS, "little", dataset)
    path = tmp_path / file.path
    path.parent.mkdir()
    path.write_bytes(CONTENT)
    return tmp_path


def test_verify_is_content_with_the_right_files(folder, capsys):
    assert verify(["little"], folder) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert "train.txt is right" in output
    assert "CC0" in output


def test_verify_names_a_wrong_file(folder, capsys):
    (folder / "little" / "train.txt").write_bytes(b"other words\n")
    assert verify(["little"], folder) == 1
    output = " ".join(capsys.readouterr().out.split())
    assert "LP124" in output
    assert "train.txt" in output
    assert SUM in output


def test_verify_names_a_missing_file_and_where_to_put_it(folder, capsys):
    (folder / "little" / "train.txt").unlink()
    assert verify(["little"], folder) == 1
    output = " ".join(capsys.readouterr().out.split())
    assert "LP123" in output
    assert "train.txt" in output
    assert "LATPERC_DATA" in output


def test_verify_unknown_set_lists_the_known_ones(folder):
    with pytest.raises(ValueError, match="LP122.*'conll'.*conll2000, ud_ewt"):
        verify(["conll"], folder)


def test_verify_without_a_folder_says_how_to_name_one(monkeypatch, tmp_path):
    monkeypatch.setenv("LATPERC_DATA", str(tmp_path / "nothing"))
    with pytest.raises(FileNotFoundError, match="LP121.*wnut17.*LATPERC_DATA"):
        verify(["wnut17"])


@pytest.mark.parametrize(
    "what, status", [("little", 0), ("FILE=SUM", 0), ("FILE=00", 1), ("conll", 1)]
)
def test_verify_command_tells_by_its_status(folder, what, status):
    file = folder / "little" / "train.txt"
    what = what.replace("FILE", str(file)).replace("SUM", SUM)
    assert main([what, "--folder", str(folder)]) == status


@pytest.mark.parametrize("name", DATASETS)
def test_verify_real_corpora_are_right(data, name):
    assert verify([name], data) == 0
