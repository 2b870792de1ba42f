"""Copy the sources of the package to FOLDER with every run-time check turned on.

The directives and compiler flags are those of pyproject.toml; this rewrites them in
the copy, so that there is no second list to keep in step.
"""

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("pyproject.toml", "README.md", "LICENSE")
BUILT = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "*.cpp")
CHECKS = ("boundscheck", "wraparound", "initializedcheck", "nonecheck")
# Distutils passes -DNDEBUG, which would turn the assertions off again.
FLAGS = '"-O1", "-UNDEBUG", "-DLATPERC_CHECKED", "-D_GLIBCXX_ASSERTIONS"'


def turn_checks_on(pyproject: str) -> str:
    """Rewrite the build settings; fail where there is nothing left to rewrite."""
    for name in CHECKS:
        pyproject, count = re.subn(
            rf"^{name} = false$", f"{name} = true", pyproject, flags=re.MULTILINE
        )
        if count != 1:
            sys.exit(f"pyproject.toml: expected one line '{name} = false', not {count}")
    pyproject, count = re.subn(r'"-O3"', FLAGS, pyproject)
    if count == 0:
        sys.exit('pyproject.toml: no extra-compile-args with "-O3" to replace')
    return pyproject


def copy_sources(folder: Path) -> None:
    """Start from an empty folder: the directives are no part of any time stamp."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in SOURCES:
        shutil.copy2(ROOT / name, folder / name)
    shutil.copytree(ROOT / "spacy_latperc", folder / "spacy_latperc", ignore=BUILT)
    pyproject = folder / "pyproject.toml"
    pyproject.write_text(
        turn_checks_on(pyproject.read_text(encoding="utf-8")), encoding="utf-8"
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: checked_source.py FOLDER")
    copy_sources(Path(sys.argv[1]))
