"""Output files: their formats and checks before work begins."""

from collections.abc import Collection, Iterable
from pathlib import Path

from ..errors import Errors
from .atomic import check_place, whole_file
from .packed import PACKED_SUFFIXES, PARQUET, ZSTANDARD, open_to_pack
from .places import import_extra

# The suffixes of formats.
_KNOWN = frozenset(
    (".arrow", ".conllu", ".csv", ".feather", ".html", ".json", ".jsonl", ".parquet")
    + (".pdf", ".png", ".spacy", ".svg", ".tsv", ".xml", ".7z", ".lz4", ".rar")
    + (".tar", ".tgz", ".zip")
)
_NEVER_PACKED = {".parquet", ".spacy"}
_MODULES = {
    ".parquet": (PARQUET, "pyarrow.parquet"),
    ".zst": (ZSTANDARD, "zstandard"),
}


def check_target(
    path: Path,
    *,
    sources: Iterable[str | Path] = (),
    suffixes: Collection[str] = (),
) -> None:
    """Check that an output file can be written and does not replace an input.

    Args:
        path: The file, which is not changed.
        sources: The inputs; entries that are not files are ignored.
        suffixes: See check_suffix.

    Raises:
        OSError: The path is a folder, or cannot be written.
        ValueError: The path is one of the sources, or has the suffix of another format.
    """
    check_suffix(path, suffixes)
    if path.is_file() and any(_is_same(path, Path(source)) for source in sources):
        raise ValueError(Errors.LP576.format(path=path))
    if path.is_dir():
        raise IsADirectoryError(Errors.LP561.format(path=path))
    if not path.exists() or path.is_file():  # /dev/stdout is neither
        check_place(path)


def check_suffix(path: Path, suffixes: Collection[str] = ()) -> None:
    """Check that the suffix of an output is that of its format.

    Args:
        path: The file or folder.
        suffixes: The suffixes that it may have. All but .spacy and .parquet may be
            followed by .gz, .xz, .bz2 or .zst. Empty for folders, and for formats
            without a suffix, which are never packed.

    Raises:
        ValueError: The suffix is that of another format, or the package that writes it
            is not installed.
    """
    ends = path.suffixes
    packing = ends.pop() if ends and ends[-1] in PACKED_SUFFIXES else ""
    end = ends[-1] if ends else ""
    if end in _KNOWN and end not in suffixes or packing and not _packs(end, suffixes):
        texts = [x for x in suffixes if x not in _NEVER_PACKED]
        packed = [f"{texts[0]}{x}" for x in PACKED_SUFFIXES] if texts else []
        wanted = ", ".join([*suffixes, *packed]) or "a suffix that stands for no format"
        message = Errors.LP587.format(
            path=path, suffix=f"{end}{packing}", wanted=wanted
        )
        raise ValueError(message)
    for name in (end, packing):
        if name in _MODULES:
            format, module = _MODULES[name]
            import_extra(module, str(path), format)


def _packs(end: str, suffixes: Collection[str]) -> bool:
    return end not in _NEVER_PACKED and any(x not in _NEVER_PACKED for x in suffixes)


def _is_same(path: Path, source: Path) -> bool:
    return source.is_file() and path.samefile(source)


def write_output(path: Path, content: bytes) -> None:
    """Write a file atomically, compressed according to its name."""
    with whole_file(path) as fresh, open_to_pack(fresh, path.name) as file:
        file.write(content)
