"""The files of the project, as the tests of packaging and imports see them."""

import sys
from pathlib import Path
from typing import Any

import spacy_latperc

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
# Where it is imported from: the tree in a clone, site-packages when a wheel is tested.
PACKAGE = Path(spacy_latperc.__file__).resolve().parent


def read_pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def package_files(*suffixes: str) -> list[Path]:
    """The files of the package with one of the suffixes, sorted, builds left out."""
    return sorted(
        path
        for path in PACKAGE.rglob("*")
        if path.suffix in suffixes and "__pycache__" not in path.parts
    )


def relative(path: Path) -> str:
    return path.relative_to(PACKAGE.parent).as_posix()
