"""Files elsewhere: an object store, and systems that only fsspec knows."""

import os

import pytest
from builders.object_store import object_store

from spacy_latperc.io import places

OBJECTS = {"bucket/in/b/c.txt": b"two\n", "bucket/in/a.txt": b"one\n" * 100_000}
# Names that no URL escapes or unescapes.
ODD = ["%41.txt", "a b.txt", "dt=2020%3A01/x.txt", "q?.txt", "x#y.txt", "\u00e9.txt"]


def read(url):
    with places.open_url(url) as file:
        return file.read()


def test_files_of_an_object_store_keep_the_options_of_its_url():
    with object_store(OBJECTS) as options:
        folder = "s3://key:secret@bucket/in"
        found = places.files_below(f"{folder}/{options}")
        assert found == [
            (f"{folder}/a.txt{options}", "a.txt"),
            (f"{folder}/b/c.txt{options}", "b/c.txt"),
        ]
        contents = {f"bucket/in/{name}": read(url) for url, name in found}
        assert contents == OBJECTS
        with pytest.raises(FileNotFoundError, match="LP101"):
            read(f"{folder}/none.txt{options}")


def test_names_below_urls_stay_as_they_are(tmp_path):
    for name in ODD:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    objects = {f"bucket/in/{name}": name.encode() for name in ODD}
    with object_store(objects) as options:
        for url in (f"s3://key:secret@bucket/in{options}", tmp_path.as_uri()):
            found = places.files_below(url)
            assert [name for _, name in found] == sorted(ODD)
            assert [read(url).decode() for url, _ in found] == sorted(ODD)
        # Those of folders and of files that are given by name, too.
        folder = f"s3://key:secret@bucket/in/dt=2020%3A01{options}"
        assert [name for _, name in places.files_below(folder)] == ["x.txt"]
        assert read(f"s3://key:secret@bucket/in/x#y.txt{options}") == b"x#y.txt"


def test_identity_is_the_mark_of_an_object_or_time_and_size_of_a_file(tmp_path):
    objects = {"bucket/a.txt": b"one"}
    with object_store(objects) as options:
        url = f"s3://key:secret@bucket/a.txt{options}"
        first = places.identity_of(url)
        assert first["size"] == 3 and first == places.identity_of(url)
        objects["bucket/a.txt"] = b"two"
        assert places.identity_of(url) != first
    path = tmp_path / "a.txt"
    path.write_text("one")
    first, before = places.identity_of(str(path)), path.stat()
    path.write_text("two")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert places.identity_of(str(path)) != first or os.name == "nt"


def test_systems_of_fsspec():
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    system.pipe("/latperc/in/%41.txt", b"one\n")
    system.pipe("/latperc/in/b/c.txt", b"two\n")
    try:
        found = places.files_below("memory://latperc/in")
        assert [name for _, name in found] == ["%41.txt", "b/c.txt"]
        assert [read(url) for url, _ in found] == [b"one\n", b"two\n"]
        assert places.files_below("memory://latperc/in/%41.txt")[0][1] == "%41.txt"
        assert places.identity_of(found[0][0])["size"] == 4
    finally:
        system.rm("/latperc", recursive=True)
    with pytest.raises(ValueError, match="LP572"):
        places.files_below("nothing://latperc/in")


def test_names_that_lead_elsewhere_are_refused():
    for name in ("", "/a", "a//b", "a/", "..", "../a", "a/../../b", "a/./b", "a\0b"):
        with pytest.raises(ValueError, match="LP584.*s3://x"):
            places.check_name(name, "s3://x")
    for name in ("a", "a/b", "..a", "a..b/c...", "%2e%2e/a", "-"):
        assert places.check_name(name, "s3://x") == name
