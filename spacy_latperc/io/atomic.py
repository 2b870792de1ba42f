"""Files and folders that are never there by halves.

What is to be written is written beside its place, forced to the disk, and gets its name
in one step. A process that is killed leaves the old content or the new one, and at most
a hidden file beside it (.NAME.PROCESS-MARK.new), which the next to write there removes.
"""

import ctypes
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import Errors

_SWAP = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
_KEPT = 60  # characters of a name, for names may not grow without end
_HERE = -100  # AT_FDCWD of Linux: paths are those of the process


def write_whole(path: Path, content: bytes) -> None:
    """Write the content of a file.

    Args:
        path: The file; its folder is made if need be.
        content: All of its bytes.
    """
    with whole_file(path) as fresh:
        fresh.write_bytes(content)


def check_target(path: Path, *, sources: Iterable[str | Path] = ()) -> None:
    """Refuse at once a file that could not be written after hours of work, or that
    would replace what it is made of.

    Args:
        path: The file. What is there stays as it is.
        sources: What is read; of no matter are those that are no file.

    Raises:
        OSError: There is a folder, or nothing can be written there.
        ValueError: It is one of the sources.
    """
    if path.is_file() and any(_is_same(path, Path(source)) for source in sources):
        raise ValueError(Errors.LP576.format(path=path))
    if path.is_dir():
        raise IsADirectoryError(Errors.LP561.format(path=path))
    if not path.exists() or path.is_file():  # /dev/stdout is neither
        check_place(path)


def _is_same(path: Path, source: Path) -> bool:
    return source.is_file() and path.samefile(source)


def check_place(path: Path) -> None:
    """Refuse a place beside which nothing can be written.

    Raises:
        OSError: Nothing can be written there.
    """
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
    """The folders above a path that are not there yet, the innermost first."""
    return [folder for folder in path.parents if not folder.exists()]


def _remove_if_empty(folders: Sequence[Path]) -> None:
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Write a file or a folder under another name, which becomes its own on success.

    Args:
        path: The file or folder; a folder there is replaced by a folder only.

    Returns:
        The path to write to. On failure it is removed and `path` is as it was.
    """
    with whole_files([path]) as (fresh,):
        yield fresh


@contextmanager
def whole_files(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """The same for several files or folders, which change once all are written."""
    final = [Path(os.path.realpath(path)) for path in paths]  # a link stays one
    fresh = [_beside(path, "new") for path in final]
    new = [folder for path in final for folder in _new_folders(path)]
    try:
        for path in final:
            path.parent.mkdir(parents=True, exist_ok=True)
            _clean_up_after_the_dead(path)
        yield fresh
        for source, path in zip(fresh, final, strict=True):
            if source != path:
                _force_to_disk(source)
                _rename(source, path)
    except BrokenPipeError:  # no failure: who reads has seen enough
        raise
    except OSError as error:
        for source, path, named in zip(fresh, final, paths, strict=True):
            if _is_about(error, source, path):
                message = Errors.LP560.format(path=named, error=error.strerror or error)
                raise OSError(message) from error
        raise
    finally:
        for source, path in zip(fresh, final, strict=True):
            if source != path:
                _remove(source)
        _remove_if_empty(new)


def _beside(path: Path, end: str) -> Path:
    """Another name in the same folder; what is no file (/dev/stdout) keeps its own."""
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        return path
    mark = f"{os.getpid()}-{secrets.token_hex(4)}"
    return path.with_name(f".{path.name[:_KEPT]}.{mark}.{end}")


def _is_about(error: OSError, source: Path, path: Path) -> bool:
    """Whether an error is of what was to be written, and not of some other file."""
    if str(error).startswith("[LP"):
        return False
    if error.filename is None:  # writing, as opposed to opening, does not name it
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
    if path.is_dir() and os.name == "nt":  # which has no such thing for folders
        return
    descriptor = os.open(path, mode)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _rename(source: Path, path: Path) -> None:
    if path.is_dir():
        if not source.is_dir():
            raise IsADirectoryError(Errors.LP561.format(path=path))
        if not _swap(source, path):
            # Two steps: whoever writes here next puts back what the first one moved.
            old = _beside(path, "old")
            path.rename(old)
            source.rename(path)
            _remove(old)
    else:
        os.replace(source, path)
    _sync(path.parent, os.O_RDONLY)


def _swap(first: Path, second: Path) -> bool:
    """Let two folders change names in one step, where the system can.

    Returns:
        Whether they did.
    """
    names = os.fsencode(first), os.fsencode(second)
    try:
        library = ctypes.CDLL(None)
        if hasattr(library, "renameat2"):
            return library.renameat2(_HERE, names[0], _HERE, names[1], _SWAP) == 0
        return library.renamex_np(*names, _SWAP) == 0
    except (AttributeError, TypeError, OSError):
        return False


def _clean_up_after_the_dead(path: Path) -> None:
    """Remove what killed processes left beside a path."""
    left = re.compile(rf"\.{re.escape(path.name[:_KEPT])}\.(\d+)-\w+\.(new|old)")
    for found in list(path.parent.iterdir()):
        match = left.fullmatch(found.name)
        if match is None or _is_alive(int(match[1])):
            continue
        if match[2] == "old" and not path.exists():
            found.rename(path)
        else:
            _remove(found)


def _is_alive(process: int) -> bool:
    if process == os.getpid() or os.name == "nt":  # there a signal 0 would end it
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass
    return True


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)
