"""The files that a path stands for: itself, or those of a folder."""

from pathlib import Path

from ..errors import Errors


def corpus_files(path: Path | str | None, *, suffix: str | None = None) -> list[Path]:
    """The file, or all files below the folder in the order of their names.

    suffix: In a folder, only files whose names end with it. Hidden files never count.
    """
    if path is None:
        raise ValueError(Errors.LP114)
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(Errors.LP101.format(path=path))
    if not path.is_dir():
        return [path]
    files = sorted(
        file
        for file in path.rglob(f"*{suffix or ''}")
        if file.is_file() and not file.name.startswith(".")
    )
    if not files:
        raise FileNotFoundError(Errors.LP115.format(path=path, suffix=suffix or ""))
    return files
