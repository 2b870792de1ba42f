"""Files of object stores and other remote file systems, by URL.

pyarrow (an extra) opens s3://, gs://, abfs://, hdfs:// and file://, and finds
credentials where the tools of each system keep them. fsspec opens other systems if it
is installed.

The path of a URL is a literal name, as for the tools of object stores: `%41.txt` is not
`A.txt`. Only file:// URLs are unescaped, since `Path.as_uri` escapes them.
"""

import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import quote

from ..errors import Errors

_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_OPTIONS = re.compile(r"\?[a-z_]+=[^?]*$")
_LOCAL = "file://"
_EXTRA = "pip install 'spacy-latperc[formats]'"


def is_url(path: Path | str) -> bool:
    """True if a path is a URL."""
    return bool(_URL.match(str(path)))


def without_options(url: str) -> str:
    """Remove the options (`?region=...`) of a URL."""
    return _OPTIONS.sub("", url)


def import_extra(module: str, path: str, format: str) -> Any:
    """Import a package of the extra for formats, which a path needs."""
    try:
        return import_module(module)
    except ImportError as error:
        message = Errors.LP571.format(path=path, format=format, extra=_EXTRA)
        raise ValueError(message) from error


@contextmanager
def open_url(url: str) -> Iterator[BinaryIO]:
    """Open a remote file for reading."""
    system, path = _system(url)
    try:
        with system.open_input_file(path) as file:
            yield cast(BinaryIO, io.BufferedReader(file))
    except FileNotFoundError as error:
        raise FileNotFoundError(Errors.LP101.format(path=url)) from error


def identity_of(path: str) -> dict[str, Any]:
    """Return the size and the time of a file, and the ETag of an object."""
    if not is_url(path):
        stat = Path(path).stat()
        # Tools that preserve the time of modification cannot set that of the inode.
        changed = max(stat.st_mtime_ns, stat.st_ctime_ns)
        return {"size": stat.st_size, "modified": changed}
    system, inner = _system(path)
    info = system.get_file_info(inner)
    with system.open_input_stream(inner) as file:
        tag = (file.metadata() or {}).get("ETag", b"").decode()
    return {"size": info.size, "modified": info.mtime_ns, "tag": tag}


def check_name(name: str, source: str) -> str:
    """Return a relative path from an untrusted source if it is safe to write to.

    Args:
        name: The path below the output folder, with "/" as its separator.
        source: The input file, for the message.

    Raises:
        ValueError: The path is absolute, or has a part that is empty, "." or "..".
    """
    problem = ""
    parts = name.replace(os.sep, "/").split("/")
    if name.startswith("/") or Path(name).drive:
        problem = "it is absolute"
    elif not all(parts):
        problem = "a part of it is empty"
    elif {".", ".."} & set(parts):
        problem = "a part of it is '.' or '..', which leads elsewhere"
    elif "\0" in name:
        problem = "it has a NUL character"
    if problem:
        named = {"name": name, "source": source, "problem": problem}
        raise ValueError(Errors.LP584.format(**named))
    return name


def files_below(url: str) -> list[tuple[str, str]]:
    """The file at a URL, or all files of the folder there, in the order of their names.

    Returns:
        The URL of each file, and its name below the folder. Hidden files never count.
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
    folder = without_options(url)
    options = url.removeprefix(folder)
    escape = quote if url.startswith(_LOCAL) else str
    return [(f"{folder.rstrip('/')}/{escape(name)}{options}", name) for name in names]


def _system(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path there."""
    fs = import_extra("pyarrow.fs", url, "a URL")
    try:
        return cast(tuple[Any, str], fs.FileSystem.from_uri(_escaped(url)))
    except (ValueError, NotImplementedError) as error:  # those of Arrow are these
        said = error
    try:
        from fsspec.core import url_to_fs

        system, path = url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise ValueError(Errors.LP572.format(path=url, error=said)) from error
    return fs.PyFileSystem(fs.FSSpecHandler(system)), path


def _escaped(url: str) -> str:
    """The URL that pyarrow unescapes to the same names."""
    if url.startswith(_LOCAL):
        return url
    whole = without_options(url)
    system, mark, path = whole.partition("://")
    host, slash, path = path.partition("/")
    return f"{system}{mark}{host}{slash}{quote(path)}{url.removeprefix(whole)}"
