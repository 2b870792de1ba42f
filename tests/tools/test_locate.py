"""The places where corpora are looked for."""

import pytest

from tools.corpora import locate
from tools.corpora.locate import data_folder, required_folder


def test_locate_takes_the_named_folder_and_does_not_look_elsewhere(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("LATPERC_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    monkeypatch.setenv("LATPERC_DATA", str(tmp_path / "nothing"))
    assert data_folder() is None


def test_locate_takes_the_first_folder_with_all_files(tmp_path, monkeypatch):
    named, project = tmp_path / "named", tmp_path / "project"
    for folder in (named / "a", project / "corpus" / "a", project / "corpus" / "b"):
        folder.mkdir(parents=True)
        (folder / "file").touch()
    monkeypatch.setenv("LATPERC_DATA", str(named))
    monkeypatch.setattr(locate, "PROJECT", project)
    assert required_folder("a/file") == named
    assert required_folder("a/file", "b/file") == project / "corpus"
    with pytest.raises(SystemExit, match="c/file.*LATPERC_DATA.*tools.corpora"):
        required_folder("a/file", "c/file")
