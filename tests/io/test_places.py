"""Files elsewhere: an object store, and systems that only fsspec knows."""

import pytest
from builders.object_store import object_store

from spacy_latperc.io.places import files_below, open_url, size_of

OBJECTS = {"bucket/in/b/c.txt": b"two\n", "bucket/in/a.txt": b"one\n" * 100_000}


def read(url):
    with open_url(url) as file:
        return file.read()


def test_files_of_an_object_store_keep_the_options_of_its_url():
    with object_store(OBJECTS) as options:
        folder = "s3://key:secret@bucket/in"
        found = files_below(f"{folder}/{options}")
        assert found == [
            (f"{folder}/a.txt{options}", "a.txt"),
            (f"{folder}/b/c.txt{options}", "b/c.txt"),
        ]
        contents = {f"bucket/in/{name}": read(url) for url, name in found}
        assert contents == OBJECTS
        assert size_of(found[0][0]) == 400_000
        with pytest.raises(FileNotFoundError, match="LP101"):
            read(f"{folder}/none.txt{options}")


def test_systems_of_fsspec():
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    system.pipe("/latperc/in/a.txt", b"one\n")
    system.pipe("/latperc/in/b/c.txt", b"two\n")
    try:
        found = files_below("memory://latperc/in")
        assert [name for _, name in found] == ["a.txt", "b/c.txt"]
        assert [read(url) for url, _ in found] == [b"one\n", b"two\n"]
        assert files_below("memory://latperc/in/a.txt")[0][1] == "a.txt"
    finally:
        system.rm("/latperc", recursive=True)
    with pytest.raises(ValueError, match="LP572"):
        files_below("nothing://latperc/in")
