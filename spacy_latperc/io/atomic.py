"""Atomic writes of files and folders.

New content is written beside its place under a hidden name (.NAME.PROCESS-MARK.new),
synced to the disk, and renamed in one step. A process that is killed leaves the old
content or the new one, and at most such a hidden entry, which the next process that
writes to the same place removes.
"""

import ctypes
import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import Errors

# Returns the entries that stay, given a folder and its replacement.
Kept = Callable[[Path, Path], Iterable[str]]

_SWAP = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
_LONGEST = 60  # characters of a name that a temporary name repeats
_HERE = -100  # AT_FDCWD of Linux: paths are relative to the working directory
_TEMPORARY = re.compile(r"\.(.+)\.(\d+)-\w+\.(new|old)")


def write_whole(path: Path, content: bytes) -> None:
    """Write the content of a file, and its folders where they are missing."""
    with whole_file(path) as fresh:
        fresh.write_bytes(content)


def check_place(path: Path) -> None:
    """Raise an OSError if nothing can be written next to a path."""
    new = _new_folders(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        probe = _beside(Path(os.path.realpath(path)), "new")
        probe.touch()
        probe.unlink()
    except OSError as error:
        message = Errors.LP560.format(path=path, error=error.strerror or error)
        raise OSError(message) from error
    finally:
        _remove_if_empty(new)


def _new_folders(path: Path) -> list[Path]:
    """The missing folders above a path, the innermost first."""
    return [folder for folder in path.parents if not folder.exists()]


def _remove_if_empty(folders: Sequence[Path]) -> None:
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


@contextmanager
def whole_file(path: Path, *, kept: Kept | None = None) -> Iterator[Path]:
    """Write a file or a folder under another name, and rename it on success.

    Args:
        path: The file or folder. A folder can only be replaced by a folder.
        kept: The entries of a replaced folder that stay; None for none.

    Returns:
        The path to write to. On failure it is removed, and `path` is unchanged.
    """
    with whole_files([path], kept=kept) as (fresh,):
        yield fresh


@contextmanager
def whole_files(
    paths: Sequence[Path], *, kept: Kept | None = None
) -> Iterator[list[Path]]:
    """Write several files or folders as `whole_file` does. They are renamed when all
    are complete."""
    final = [Path(os.path.realpath(path)) for path in paths]  # symbolic links stay
    fresh = [_beside(path, "new") for path in final]
    pairs = [(a, b) for a, b in zip(fresh, final, strict=True) if a != b]
    new = [folder for path in final for folder in _new_folders(path)]
    try:
        for source, path in pairs:
            path.parent.mkdir(parents=True, exist_ok=True)
            _clean_up_after_the_dead(path)
            if path.is_file():  # new content may be private too
                source.touch(mode=0o600)
        yield fresh
        for source, path in pairs:
            _force_to_disk(source)
            if path.is_dir() and not source.is_dir():
                raise IsADirectoryError(Errors.LP561.format(path=path))
            _copy_modes(path, source)
            if kept is not None and path.is_dir():
                for name in kept(path, source):
                    _link(path / name, source / name)
                _sync(source, os.O_RDONLY)
        for source, path in pairs:
            _rename(source, path)
    except BrokenPipeError:  # the reader of a pipe ended
        raise
    except OSError as error:
        for source, path, named in zip(fresh, final, paths, strict=True):
            if _is_about(error, source, path):
                message = Errors.LP560.format(path=named, error=error.strerror or error)
                raise OSError(message) from error
        raise
    finally:
        for source, _ in pairs:
            _remove(source)
        _remove_if_empty(new)


def _beside(path: Path, end: str) -> Path:
    """A temporary name in the same folder. Special files (/dev/stdout) keep their name,
    and temporary names are not nested."""
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        return path
    nested = _TEMPORARY.fullmatch(path.name)
    name = nested[1] if nested else path.name[:_LONGEST]
    mark = f"{os.getpid()}-{secrets.token_hex(4)}"
    return path.with_name(f".{name}.{mark}.{end}")


def _is_about(error: OSError, source: Path, path: Path) -> bool:
    """True if an error concerns a file to be written, not another one."""
    if str(error).startswith("[LP"):
        return False
    if error.filename is None:  # an error in writing rather than opening
        return True
    if not isinstance(error.filename, str):
        return False
    named = Path(error.filename)
    return named in (path, path.parent) or source in (named, *named.parents)


def _force_to_disk(path: Path) -> None:
    for folder, _, names in os.walk(path):
        for name in names:
            _sync(Path(folder) / name, os.O_RDWR)
        _sync(Path(folder), os.O_RDONLY)
    if path.is_file():
        _sync(path, os.O_RDWR)


def _sync(path: Path, mode: int) -> None:
    if path.is_dir() and os.name == "nt":  # Windows cannot sync folders
        return
    descriptor = os.open(path, mode)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _copy_modes(old: Path, new: Path) -> None:
    """Give files and folders the permissions of those that they replace."""
    if new.is_dir():
        for path in new.iterdir():
            _copy_modes(old / path.name, path)
    with suppress(OSError):  # a new file, or a file system without permissions
        found = old.lstat().st_mode
        if stat.S_IFMT(found) == stat.S_IFMT(new.lstat().st_mode):
            new.chmod(stat.S_IMODE(found))


def _link(old: Path, new: Path) -> None:
    """Link a file or folder under a second name, or copy it if that is impossible. A
    mount point is an error."""
    try:
        if old.is_symlink():
            new.symlink_to(os.readlink(old), target_is_directory=old.is_dir())
        elif old.is_dir():
            if os.path.ismount(old):
                raise OSError(errno.EXDEV, "it is a mount point")
            new.mkdir()
            for path in old.iterdir():
                _link(path, new / path.name)
            shutil.copystat(old, new)
            _sync(new, os.O_RDONLY)
        else:
            _link_file(old, new)
    except OSError as error:
        if str(error).startswith("[LP"):
            raise
        message = Errors.LP578.format(path=old, error=error.strerror or error)
        raise OSError(message) from error


def _link_file(old: Path, new: Path) -> None:
    try:
        os.link(old, new)
    except OSError as error:
        if error.errno == errno.EXDEV:  # a mount point
            raise
        shutil.copy2(old, new)
        _sync(new, os.O_RDONLY)


def _rename(source: Path, path: Path) -> None:
    if not path.is_dir():
        os.replace(source, path)
    elif not _swap(source, path):
        # Two steps. If only the first is done, the next write undoes it.
        old = _beside(path, "old")
        path.rename(old)
        source.rename(path)
        _remove(old)
    _sync(path.parent, os.O_RDONLY)


def _swap(first: Path, second: Path) -> bool:
    """Exchange the names of two folders atomically. False if that is unsupported."""
    names = os.fsencode(first), os.fsencode(second)
    try:
        library = ctypes.CDLL(None)
        if hasattr(library, "renameat2"):
            return library.renameat2(_HERE, names[0], _HERE, names[1], _SWAP) == 0
        return library.renamex_np(*names, _SWAP) == 0
    except (AttributeError, TypeError, OSError):
        return False


def _clean_up_after_the_dead(path: Path) -> None:
    """Remove temporary entries of killed processes next to a path."""
    if _TEMPORARY.fullmatch(path.name):  # cleaned up with the final path
        return
    for found in list(path.parent.iterdir()):
        match = _TEMPORARY.fullmatch(found.name)
        if match is None or match[1] != path.name[:_LONGEST] or not is_left(found.name):
            continue
        if match[3] == "old" and not path.exists():
            found.rename(path)
        else:
            _remove(found)


def is_left(name: str) -> bool:
    """True if this is the temporary name of a killed process."""
    match = _TEMPORARY.fullmatch(name)
    return match is not None and not _is_alive(int(match[2]))


def _is_alive(process: int) -> bool:
    if process == os.getpid() or os.name == "nt":  # signal 0 kills on Windows
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass
    return True


def _remove(path: Path) -> None:
    if path.is_symlink() or not path.is_dir():
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return
    for folder, _, _ in os.walk(path):  # read-only folders cannot be emptied
        with suppress(OSError):
            os.chmod(folder, stat.S_IRWXU)
    shutil.rmtree(path, ignore_errors=True)
