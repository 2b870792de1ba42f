"""Which files are filtered, and what becomes of each."""

import glob
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from ...errors import Errors
from ...errors.check import check_choice
from ...io.lines import corpus_files
from ...io.packed import (
    PARQUET,
    STDIN,
    first_bytes,
    open_to_pack,
    packing_of,
    without_packing,
)
from ...io.places import files_below, is_url, size_of
from .lines import LineReader, LineWriter, Reader
from .parquet import ParquetReader, ParquetWriter
from .verdicts import Columns, Verdict

FORMATS = ("text", "jsonl", "parquet")


@runtime_checkable
class Writer(Protocol):
    """Takes what is kept."""

    def write(self, item: Any, verdict: Verdict) -> None:
        """Write an item of the reader."""
        ...


@dataclass(frozen=True)
class TextFile:
    """A file to filter.

    Args:
        path: Where it is, its URL, or "-".
        name: Its name below the folder of what is written.
    """

    path: str
    name: str

    def size(self) -> int:
        """How many bytes it has."""
        return size_of(self.path)


@dataclass(frozen=True)
class Layout:
    """How files are read and written.

    Args:
        format: One of FORMATS; by default by the name of each file, and its first
            bytes.
        field: Of JSONL and Parquet: where the text is.
        skip_bad: Leave out lines that cannot be scored.
        columns: What is written beside the text.
    """

    format: str | None = None
    field: str = "text"
    skip_bad: bool = False
    columns: Columns = Columns()

    def __post_init__(self) -> None:
        if self.format is not None:
            check_choice("format", self.format, FORMATS)

    def reader(self, path: str) -> Reader:
        """What reads a file."""
        settings: dict[str, Any] = {"field": self.field, "skip_bad": self.skip_bad}
        format = self.format or format_of(path)
        if format == "parquet":
            return ParquetReader(path, **settings)
        return LineReader(path, json=format == "jsonl", **settings)

    @contextmanager
    def writer(self, path: Path, name: str, reader: Reader) -> Iterator[Writer]:
        """What writes a file.

        Args:
            path: Where.
            name: The name that it will have, which says how it is packed.
            reader: Of what is filtered.
        """
        if isinstance(reader, ParquetReader):
            writer = ParquetWriter(path, reader.schema, self.columns)
            try:
                yield writer
            finally:
                writer.close()
            return
        with open_to_pack(path, name) as file:
            yield LineWriter(file, self.columns)


def format_of(path: str) -> str:
    """The format of a file, by its name and its first bytes."""
    name = without_packing(path.partition("?")[0] if is_url(path) else path)
    if name.endswith(".jsonl"):
        return "jsonl"
    named = name.endswith(".parquet")
    if path != STDIN and Path(path).is_file() and not named:
        named = packing_of(first_bytes(Path(path))) == PARQUET
    return "parquet" if named else "text"


def is_several(sources: Sequence[str]) -> bool:
    """Whether sources are more than one file: a folder, a pattern, or several."""
    first = sources[0]
    if len(sources) > 1 or Path(first).is_dir() or _is_pattern(first):
        return True
    return is_url(first) and [url for url, _ in files_below(first)] != [first]


def find_files(sources: Sequence[str], target: Path) -> list[TextFile]:
    """The files of folders, patterns (`*`, `?`, `[]`, `**`) and paths, in order."""
    found: dict[str, TextFile] = {}
    for source in sources:
        if source == STDIN:
            raise ValueError(Errors.LP489)
        if is_url(source):
            for url, name in files_below(source):
                _add(found, TextFile(url, name), target)
            continue
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
        if root.is_dir() and _is_within(target, root):
            raise ValueError(Errors.LP483.format(target=target, source=root))
        for path in paths:
            name = path.relative_to(folder).as_posix()
            _add(found, TextFile(str(path), name), target)
    return list(found.values())


def _add(found: dict[str, TextFile], file: TextFile, target: Path) -> None:
    if file.name in found:
        first = found[file.name].path
        both = {"first": first, "second": file.path, "target": target / file.name}
        raise ValueError(Errors.LP482.format(**both))
    found[file.name] = file


def _is_pattern(source: str) -> bool:
    return glob.has_magic(source) and not (is_url(source) or Path(source).exists())


def _before_pattern(path: Path) -> Path:
    """The folders of a pattern that have a name."""
    parts = []
    for part in path.parts:
        if glob.has_magic(part):
            break
        parts.append(part)
    return Path(*parts)


def _is_within(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())
