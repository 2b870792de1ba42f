"""Where the corpora are looked for."""

from tools.corpora.locate import data_folder


def test_locate_takes_the_named_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("LATPERC_DATA", str(tmp_path))
    assert data_folder() == tmp_path


def test_locate_does_not_look_elsewhere_when_one_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("LATPERC_DATA", str(tmp_path / "nothing"))
    assert data_folder() is None
