"""Files elsewhere: those of object stores and other systems, by their URL.

They are opened with pyarrow, an extra, which knows s3://, gs://, abfs://, hdfs:// and
file://, and finds the keys where the tools of each system leave them. Other systems are
those of fsspec, where it is installed.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..errors import Errors

FORMATS_EXTRA = "pip install 'spacy-latperc[formats]'"
_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


def is_url(path: Path | str) -> bool:
    """Whether a path is the URL of a file elsewhere."""
    return bool(_URL.match(str(path)))


@contextmanager
def open_url(url: str) -> Iterator[BinaryIO]:
    """Open a file elsewhere, to read it.

    Raises:
        ValueError: The system is not known, or pyarrow is not installed.
        OSError: There is no such file, or it cannot be reached.
    """
    system, path = _system(url)
    try:
        with system.open_input_file(path) as file:
            yield cast(BinaryIO, io.BufferedReader(file))
    except FileNotFoundError as error:
        raise FileNotFoundError(Errors.LP101.format(path=url)) from error


def size_of(path: Path | str) -> int:
    """How many bytes a file has, here or elsewhere."""
    if not is_url(path):
        return Path(path).stat().st_size
    system, inner = _system(str(path))
    return int(system.get_file_info(inner).size or 0)


def files_below(url: str) -> list[tuple[str, str]]:
    """The file at a URL, or all files of the folder there, in the order of their names.

    Returns:
        The URL of each file, and its name below the folder. Hidden files never count.

    Raises:
        FileNotFoundError: There is none.
    """
    import pyarrow.fs as fs

    system, path = _system(url)
    found = system.get_file_info(path)
    if found.type == fs.FileType.File:
        return [(url, path.rsplit("/", 1)[-1])]
    inside = system.get_file_info(
        fs.FileSelector(path, recursive=True, allow_not_found=True)
    )
    root = path.rstrip("/") + "/"
    names = sorted(
        info.path.removeprefix(root)
        for info in inside
        if info.type == fs.FileType.File and not info.base_name.startswith(".")
    )
    if not names:
        raise FileNotFoundError(Errors.LP101.format(path=url))
    folder, mark, options = url.partition("?")
    return [(f"{folder.rstrip('/')}/{name}{mark}{options}", name) for name in names]


def _system(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path there."""
    try:
        import pyarrow
        import pyarrow.fs as fs
    except ImportError as error:
        what = {"format": "a URL", "extra": FORMATS_EXTRA}
        raise ValueError(Errors.LP571.format(path=url, **what)) from error
    try:
        return cast(tuple[Any, str], fs.FileSystem.from_uri(url))
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
        said = error
    try:
        from fsspec.core import url_to_fs

        system, path = url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise ValueError(Errors.LP572.format(path=url, error=said)) from error
    return fs.PyFileSystem(fs.FSSpecHandler(system)), path
