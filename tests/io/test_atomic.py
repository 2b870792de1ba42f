"""The old content or the new one, never a third thing."""

import os
import stat
import subprocess
import sys

import pytest

from spacy_latperc.io import atomic
from spacy_latperc.io.atomic import check_place, whole_file, whole_files, write_whole


def content(folder):
    """The files of a folder, with what is in them."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def fill(folder, text):
    folder.mkdir()
    (folder / "a").write_text(text)
    (folder / "b").mkdir()
    (folder / "b" / "c").write_text(text)


def test_atomic_file_is_written_into_new_folders_and_leaves_no_empty_ones(tmp_path):
    check_place(tmp_path / "x" / "y" / "z")
    with pytest.raises(ValueError, match="stop"), whole_file(tmp_path / "a" / "b"):
        raise ValueError("stop")
    assert not list(tmp_path.iterdir())
    longest = "x" * 255
    write_whole(tmp_path / "x" / "y", b"new")
    write_whole(tmp_path / longest, b"new")
    assert content(tmp_path) == {os.path.join("x", "y"): b"new", longest: b"new"}


@pytest.mark.parametrize("swaps", [True, False])
def test_atomic_folder_replaces_a_folder(tmp_path, monkeypatch, swaps):
    if not swaps:
        monkeypatch.setattr(atomic, "_swap", lambda first, second: False)
    fill(tmp_path / "x", "old")
    (tmp_path / "x" / "more").touch()
    with whole_file(tmp_path / "x") as fresh:
        fill(fresh, "new")
    expected = {os.path.join("x", "a"): b"new", os.path.join("x", "b", "c"): b"new"}
    assert content(tmp_path) == expected
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_atomic_folder_in_two_steps_is_put_back(tmp_path, monkeypatch):
    """A process that died between the two left the old folder under another name."""
    monkeypatch.setattr(atomic, "_is_alive", lambda process: False)
    fill(tmp_path / ".x.123-ab.old", "old")
    with pytest.raises(KeyboardInterrupt), whole_file(tmp_path / "x"):
        raise KeyboardInterrupt
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_atomic_refuses_folders_and_places_below_files_and_names_what_fails(tmp_path):
    fill(tmp_path / "x", "old")
    with pytest.raises(OSError, match="LP561"):
        write_whole(tmp_path / "x", b"new")
    assert (tmp_path / "x" / "a").read_text() == "old"
    with pytest.raises(OSError, match="LP560"):
        write_whole(tmp_path / "x" / "a" / "y", b"new")
    model = tmp_path / "model"
    full = pytest.raises(OSError, match="LP560.*model: No space left")
    with full, whole_file(model):
        raise OSError(28, "No space left on device")
    # Failing to read another file is no failure to write.
    missing = pytest.raises(FileNotFoundError, match="none")
    with missing, whole_file(model), open(tmp_path / "none"):
        pass


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_atomic_old_content_stays_after_a_failure(tmp_path, error):
    (tmp_path / "x").write_bytes(b"old")
    fill(tmp_path / "y", "old")
    before = content(tmp_path)
    places = [tmp_path / name for name in "xyz"]
    with pytest.raises(error), whole_files(places) as fresh:
        fresh[0].write_bytes(b"half")
        fresh[1].mkdir()
        (fresh[1] / "a").write_bytes(b"half")
        raise error
    assert content(tmp_path) == before


@pytest.mark.skipif(os.name == "nt", reason="needs the right to make links there")
def test_atomic_link_stays_a_link(tmp_path):
    (tmp_path / "x").write_bytes(b"old")
    (tmp_path / "link").symlink_to("x")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "x").read_bytes() == b"new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_atomic_what_is_no_file_is_not_replaced(tmp_path):
    """A user with the rights could replace /dev/null."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, b"new")
    assert os.read(reader, 9) == b"new"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
def test_atomic_what_the_dead_left_is_removed(tmp_path):
    target = tmp_path / "x"
    target.write_bytes(b"old")
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from spacy_latperc.io.atomic import whole_file\n"
        "with whole_file(Path(sys.argv[1])) as fresh:\n"
        "    fresh.write_bytes(b'half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(target)])
    assert target.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 2
    mine = tmp_path / f".x.{os.getppid()}-ab.new"  # of a process that lives
    mine.touch()
    write_whole(target, b"new")
    assert sorted(tmp_path.iterdir()) == sorted([mine, target])


def modes(folder):
    return {x.name: stat.S_IMODE(x.stat().st_mode) for x in folder.rglob("*")}


@pytest.mark.skipif(os.name == "nt", reason="there are no such permissions")
def test_atomic_permissions_stay(tmp_path):
    """0600 stays 0600, read-only stays read-only; new files are as umask says."""
    usual = tmp_path / "usual"
    usual.touch()
    for mode in (0o600, 0o444, 0o664):
        (tmp_path / "x").touch()
        (tmp_path / "x").chmod(mode)
        with whole_file(tmp_path / "x") as fresh:
            assert stat.S_IMODE(fresh.stat().st_mode) == 0o600
            fresh.write_bytes(b"new")
        assert modes(tmp_path)["x"] == mode
    write_whole(tmp_path / "new", b"new")
    assert modes(tmp_path)["new"] == modes(tmp_path)["usual"]


@pytest.mark.skipif(os.name == "nt", reason="there are no such permissions")
def test_atomic_permissions_in_a_folder_stay(tmp_path):
    fill(tmp_path / "x", "old")
    chosen = {"x": 0o750, "a": 0o600, "b": 0o500, "c": 0o400}
    for path in tmp_path.rglob("*"):
        path.chmod(chosen[path.name])
    with whole_file(tmp_path / "x") as fresh:
        fill(fresh, "new")
    assert modes(tmp_path) == chosen
    assert (tmp_path / "x" / "b" / "c").read_text() == "new"
    (tmp_path / "x" / "b").chmod(0o700)


def test_atomic_temporary_names_are_not_nested(tmp_path):
    """`fit` saves a better model-best where a whole one will be saved at the end."""
    names = set()
    with whole_file(tmp_path / "x") as fresh:
        fill(fresh, "worse")
        with whole_file(fresh) as better:
            fill(better, "better")
            names = {path.name.count(".new") for path in tmp_path.iterdir()}
    assert names == {1}
    assert (tmp_path / "x" / "a").read_text() == "better"


@pytest.mark.parametrize("swaps", [True, False])
@pytest.mark.parametrize("links", [True, False])
def test_atomic_folder_keeps_what_is_to_stay(tmp_path, monkeypatch, swaps, links):
    """Files, folders, links and read-only files stay, with their times and modes."""
    if not swaps:
        monkeypatch.setattr(atomic, "_swap", lambda first, second: False)
    if not links:

        def refuse(*_):
            raise PermissionError(1, "not permitted")

        monkeypatch.setattr(os, "link", refuse)
    folder = tmp_path / "x"
    fill(folder, "old")
    fill(folder / ".git", "commit")
    (folder / ".git" / "a").chmod(0o444)
    os.utime(folder / ".git" / "a", (5, 5))
    (folder / "link").symlink_to("../outside")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "data").write_text("data")
    with whole_file(folder, kept=lambda old, new: [".git", "link"]) as fresh:
        fill(fresh, "new")
    assert sorted(os.listdir(tmp_path)) == ["outside", "x"]
    assert sorted(os.listdir(folder)) == [".git", "a", "b", "link"]
    assert content(folder / ".git") == {
        "a": b"commit",
        os.path.join("b", "c"): b"commit",
    }
    found = (folder / ".git" / "a").stat()
    assert (found.st_mtime, stat.S_IMODE(found.st_mode)) == (5, 0o444)
    assert os.readlink(folder / "link") == "../outside"
    assert content(tmp_path / "outside") == {"data": b"data"}


def test_atomic_mount_point_is_not_replaced(tmp_path, monkeypatch):
    """Its files cannot be linked, and a copy would be followed by their removal."""
    folder = tmp_path / "x"
    fill(folder, "old")

    def refuse(*_):
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    with (
        pytest.raises(OSError, match=r"LP578.*\Wb\Wc.*cross-device"),
        whole_file(folder, kept=lambda old, new: ["b"]) as fresh,
    ):
        fresh.mkdir()
    assert content(folder) == {"a": b"old", os.path.join("b", "c"): b"old"}
    assert os.listdir(tmp_path) == ["x"]
