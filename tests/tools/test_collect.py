"""The files of a data set, checked and copied into the project."""

import hashlib

import pytest

from tools.corpora import collect as module
from tools.corpora.collect import collect, main
from tools.corpora.datasets import DataFile, Dataset

CONTENTS = {"little/train.txt": b"some words\n", "little/test.txt": b"more\n"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A data folder with one small set."""
    files = []
    for name, content in CONTENTS.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        files.append(DataFile(name, hashlib.sha256(content).hexdigest()))
    dataset = Dataset("Little", "CC0", tuple(files))
    monkeypatch.setitem(module.DATASETS, "little", dataset)
    monkeypatch.setenv("LATPERC_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def test_collect_copies_what_is_right(folder, tmp_path):
    assert collect("little", tmp_path / "corpus") == 0
    for name, content in CONTENTS.items():
        assert (tmp_path / "corpus" / name).read_bytes() == content


@pytest.mark.parametrize("change", ["missing", "wrong"])
def test_collect_copies_nothing_when_a_file_is_bad(folder, tmp_path, change):
    path = folder / "little" / "test.txt"
    path.unlink() if change == "missing" else path.write_bytes(b"other\n")
    assert collect("little", tmp_path / "corpus") == 1
    assert not (tmp_path / "corpus").exists()


def test_collect_takes_downloads_without_a_data_folder(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("LATPERC_DATA", str(tmp_path / "nothing"))
    assert collect("little", tmp_path / "corpus", downloads=folder) == 0
    assert (tmp_path / "corpus" / "little" / "test.txt").exists()


def test_collect_prefers_the_data_folder_to_downloads(folder, tmp_path):
    downloads = tmp_path / "downloads"
    (downloads / "little").mkdir(parents=True)
    assert collect("little", tmp_path / "corpus", downloads=downloads) == 0


@pytest.mark.parametrize("name, status", [("little", 0), ("large", 1)])
def test_collect_command_tells_by_its_status(folder, tmp_path, name, status):
    assert main([name, "--into", str(tmp_path / "corpus")]) == status


def test_collect_command_says_how_to_name_a_folder(
    folder, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("LATPERC_DATA", str(tmp_path / "nothing"))
    assert main(["little", "--into", str(tmp_path / "corpus")]) == 1
    assert "LP121" in capsys.readouterr().out
