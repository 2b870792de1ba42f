"""The input files of a command: what they are called, and how they are read."""

import glob
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import Errors
from ..io.lines import corpus_files
from ..io.packed import PARQUET, STDIN, first_bytes, packing_of, without_packing
from ..io.places import check_name, files_below, is_url, without_options
from .parquet import ParquetReader
from .reader import LineReader


@dataclass(frozen=True)
class TextFile:
    """An input file.

    Args:
        path: The path, URL, or "-".
        name: The name of its output below the output folder.
    """

    path: str
    name: str

    def __post_init__(self) -> None:
        check_name(self.name, self.path)


@dataclass(frozen=True)
class Layout:
    """The settings for reading files.

    Args:
        field: The field of JSONL, or column of Parquet, with the text.
        skip_bad: Skip bad lines.
    """

    field: str = "text"
    skip_bad: bool = False

    def reader(self, path: str) -> LineReader | ParquetReader:
        """Create the reader of a file."""
        settings: dict[str, Any] = {"field": self.field, "skip_bad": self.skip_bad}
        format = format_of(path)
        if format == "parquet":
            return ParquetReader(path, **settings)
        return LineReader(path, json=format == "jsonl", **settings)


def format_of(path: str) -> str:
    """Guess the format of a file from its name and its first bytes."""
    name = without_packing(without_options(path) if is_url(path) else path)
    if name.endswith(".jsonl"):
        return "jsonl"
    named = name.endswith(".parquet")
    if path != STDIN and Path(path).is_file() and not named:
        named = packing_of(first_bytes(Path(path))) == PARQUET
    return "parquet" if named else "text"


def is_several(sources: Sequence[str]) -> bool:
    """True for a folder, a pattern, or more than one source."""
    first = sources[0]
    if len(sources) > 1 or Path(first).is_dir() or _is_pattern(first):
        return True
    return is_url(first) and [url for url, _ in files_below(first)] != [first]


def find_files(
    sources: Sequence[str],
    record: Path,
    rename: Callable[[str, str], str] = lambda path, name: name,
) -> list[TextFile]:
    """Find the files of folders, patterns (`*`, `?`, `[]`, `**`) and paths, in order.

    Args:
        sources: Paths, patterns and URLs.
        record: The file in the output folder that lists what is done.
        rename: Returns the name of an output, given the path and the name of its input.

    Raises:
        ValueError: A name leads out of the output folder, or two outputs have the same
            name.
    """
    folder = record.parent
    found = {record.name: str(record)}
    files = []
    for source in sources:
        for path, name in _below(source, folder):
            file = TextFile(path, rename(path, name))
            if file.name in found:
                both = {"first": found[file.name], "second": path}
                raise ValueError(Errors.LP482.format(**both, target=folder / file.name))
            found[file.name] = path
            files.append(file)
    return files


def _below(source: str, target: Path) -> list[tuple[str, str]]:
    """The files of a source, with their names relative to it."""
    if source == STDIN:
        raise ValueError(Errors.LP489)
    if is_url(source):
        return files_below(source)
    root = Path(source)
    if _is_pattern(source):
        root = _before_pattern(root)
        paths = [Path(x) for x in sorted(glob.glob(source, recursive=True))]
        paths = [path for path in paths if path.is_file()]
        if not paths:
            raise FileNotFoundError(Errors.LP101.format(path=source))
    else:
        paths = corpus_files(root)
    folder = root if root.is_dir() else root.parent
    if root.is_dir() and target.resolve().is_relative_to(root.resolve()):
        raise ValueError(Errors.LP483.format(target=target, source=root))
    return [(str(path), path.relative_to(folder).as_posix()) for path in paths]


def _is_pattern(source: str) -> bool:
    return glob.has_magic(source) and not (is_url(source) or Path(source).exists())


def _before_pattern(path: Path) -> Path:
    """The part of a pattern before its first wildcard."""
    parts = []
    for part in path.parts:
        if glob.has_magic(part):
            break
        parts.append(part)
    return Path(*parts)
