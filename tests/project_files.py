"""The files of the project, as the tests of packaging and imports see them."""

import ast
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import spacy_latperc

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
# What stands beside the package, in a clone and in the sdist but not in a wheel.
BESIDE = ("benchmarks", "experiments", "tools")
# Where it is imported from: the tree in a clone, site-packages when a wheel is tested.
PACKAGE = Path(spacy_latperc.__file__).resolve().parent


def read_pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def package_files(*suffixes: str) -> list[Path]:
    """The files of the package with one of the suffixes, sorted, builds left out."""
    return _files(PACKAGE, suffixes)


def beside_files(*suffixes: str) -> list[Path]:
    """The same of the folders that stand beside the package."""
    return [path for name in BESIDE for path in _files(ROOT / name, suffixes)]


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Return the syntax nodes of a Python file, from the outermost inwards."""
    return list(ast.walk(ast.parse(text_of(path))))


def relative(path: Path) -> str:
    parent = PACKAGE.parent if path.is_relative_to(PACKAGE) else ROOT
    return path.relative_to(parent).as_posix()


def _files(folder: Path, suffixes: Sequence[str]) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix in suffixes and "__pycache__" not in path.parts
    )
