"""No half file under its final name: written beside it, then renamed."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """The path to write to; on success it becomes `path`, on failure it goes away."""
    with whole_files([path]) as (fresh,):
        yield fresh


@contextmanager
def whole_files(paths: list[Path]) -> Iterator[list[Path]]:
    """The same for several files or folders: all of them or none."""
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
    fresh = [path.with_name(f".{path.name}.{os.getpid()}.new") for path in paths]
    try:
        yield fresh
        for source, path in zip(fresh, paths, strict=True):
            if path.is_dir():
                shutil.rmtree(path)
            os.replace(source, path)
    finally:
        for source in fresh:
            if source.is_dir():
                shutil.rmtree(source)
            else:
                source.unlink(missing_ok=True)
