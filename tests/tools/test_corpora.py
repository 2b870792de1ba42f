"""The real corpora: taken from the data folder or downloaded, built, checked."""

import gzip
import hashlib

import pytest
from builders.web import local_server, originals, publish

from tools.corpora import collect
from tools.corpora.__main__ import main
from tools.corpora.collect import CorpusError
from tools.corpora.datasets import DATASETS, Dataset

CONTENTS = {"train.txt.gz": b"some words\n", "test.txt": b"more\n"}


def sums(contents):
    return {name: hashlib.sha256(x).hexdigest() for name, x in contents.items()}


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """A machine without a data folder."""
    monkeypatch.setenv("LATPERC_DATA", str(tmp_path / "nothing"))


@pytest.fixture
def little(monkeypatch):
    """A set that is made from two downloads."""

    def make(fetch):
        yield "train.txt", fetch("https://example.org/a/train").read_bytes()
        yield "test.txt", fetch("https://example.org/b/test").read_bytes()

    dataset = Dataset("Little", "CC0", make, sums(CONTENTS))
    monkeypatch.setitem(collect.DATASETS, "little", dataset)
    return dataset


@pytest.fixture
def folder(little, tmp_path, monkeypatch):
    """A data folder that has the set."""
    folder = tmp_path / "data"
    (folder / "little").mkdir(parents=True)
    for name, content in CONTENTS.items():
        packed = gzip.compress(content) if name.endswith(".gz") else content
        (folder / "little" / name).write_bytes(packed)
    monkeypatch.setenv("LATPERC_DATA", str(folder))
    return folder


@pytest.fixture
def server(tmp_path):
    """A local server: its address, its folder, and what it was asked for."""
    with local_server(tmp_path / "server") as found:
        yield found


def publish_little(root):
    publish(root, "https://example.org/a/train", CONTENTS["train.txt.gz"])
    publish(root, "https://example.org/b/test", CONTENTS["test.txt"])


def command(name, tmp_path, *more):
    into, downloads = tmp_path / "corpus", tmp_path / "downloads"
    return main([name, "--into", str(into), "--downloads", str(downloads), *more])


def contents_of(folder):
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    return {k: gzip.decompress(v) if ".gz" in k else v for k, v in found.items()}


def printed(capsys):
    return " ".join(capsys.readouterr().out.split())


def test_corpora_come_from_the_data_folder_first(folder, tmp_path):
    assert command("little", tmp_path) == 0
    assert contents_of(tmp_path / "corpus" / "little") == CONTENTS
    assert not (tmp_path / "downloads").exists()


@pytest.mark.parametrize("change", ["missing", "wrong", "cut"])
def test_corpora_that_are_not_right_are_named_and_not_copied(
    folder, tmp_path, capsys, change
):
    path = folder / "little" / "train.txt.gz"
    if change == "missing":
        path.unlink()
    else:
        content = gzip.compress(b"other\n") if change == "wrong" else b"\x1f\x8bx"
        path.write_bytes(content)
    assert command("little", tmp_path) == 1
    text = printed(capsys)
    assert "train.txt.gz" in text and "LATPERC_DATA" in text
    assert ("is missing" if change == "missing" else "is not the file") in text
    assert not (tmp_path / "corpus").exists()


def test_corpora_are_downloaded_once(nowhere, little, server, tmp_path):
    address, root, asked = server
    publish_little(root)
    assert command("little", tmp_path, "--mirror", address) == 0
    assert contents_of(tmp_path / "corpus" / "little") == CONTENTS
    assert len(asked) == 2
    (tmp_path / "corpus" / "little" / "test.txt").unlink()
    assert command("little", tmp_path, "--mirror", address) == 0
    assert command("little", tmp_path) == 0
    assert len(asked) == 2


def test_corpora_packed_by_us_have_the_same_bytes_every_time(
    nowhere, little, server, tmp_path
):
    address, root, _ = server
    publish_little(root)
    where = {"downloads": tmp_path / "down", "mirror": address}
    for name in ("one", "two"):
        collect.collect("little", tmp_path / name, **where)
    one, two = (tmp_path / x / "little" / "train.txt.gz" for x in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


def test_corpora_whose_download_is_wrong_or_fails_are_refused(
    nowhere, little, server, tmp_path, capsys
):
    address, root, _ = server
    assert command("little", tmp_path, "--mirror", address) == 1
    text = printed(capsys)
    assert "404" in text and "by hand" in text and "LATPERC_DATA" in text
    assert not list((tmp_path / "downloads").glob("*"))
    publish_little(root)
    publish(root, "https://example.org/b/test", b"half of it")
    assert command("little", tmp_path, "--mirror", address) == 1
    text = printed(capsys)
    assert "little/test.txt" in text and "delete them and try again" in text
    assert not (tmp_path / "corpus" / "little" / "test.txt").exists()


def test_corpora_that_can_be_had_nowhere_say_so(nowhere, monkeypatch, tmp_path, capsys):
    rare = Dataset("Rare", "-", None, sums(CONTENTS))
    monkeypatch.setitem(collect.DATASETS, "rare", rare)
    for arguments, *messages in (
        (("rare", tmp_path), "can be had nowhere", "rare/test.txt"),
        (("conll", tmp_path), "Choose one of: conll2000, ud_ewt"),
        (("wnut17", tmp_path, "--check"), "LATPERC_DATA"),
    ):
        assert command(*arguments) == 1
        said = printed(capsys)
        assert all(message in said for message in messages)


def test_corpora_check_looks_at_the_data_folder_only(folder, tmp_path, capsys):
    assert command("little", tmp_path, "--check") == 0
    assert not (tmp_path / "corpus").exists()
    (folder / "little" / "test.txt").write_bytes(b"other")
    assert command("little", tmp_path, "--check") == 1
    assert "is not the file" in printed(capsys)


@pytest.mark.parametrize("name", DATASETS)
def test_corpora_of_the_data_folder_are_right(data, name):
    collect.check([name], data)


def test_corpora_checks_find_a_wrong_sum(data, monkeypatch):
    files = dict.fromkeys(DATASETS["wnut17"].files, "0" * 64)
    monkeypatch.setitem(collect.DATASETS, "wnut17", Dataset("", "", None, files))
    with pytest.raises(CorpusError, match="is not the file"):
        collect.check(["wnut17"], data)


# What is built, from the copies that are at hand -------------------------------------


@pytest.mark.parametrize(
    "name", ["conll2000", "conll2002", "wnut17", "ud_ewt", "ud_trees", "jnlpba"]
)
def test_corpora_are_built_from_what_is_public(data, nowhere, server, tmp_path, name):
    address, root, _ = server
    for url, content in originals(name, data).items():
        publish(root, url, content)
    assert command(name, tmp_path, "--mirror", address) == 0
    found = {path.name for path in (tmp_path / "corpus" / name).iterdir()}
    assert found == set(DATASETS[name].files)
