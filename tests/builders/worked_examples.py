"""The worked examples of docs/dev, done to a copy of the package as the text says.

A step is a line of the text that ends in a colon and names a file, with a block of code
below it:

    The new file `path`:
    In `path`, below `line`:
    In `path`, above `line`:
    In `path`, in place of `line`:
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from project_files import ROOT

STEP = re.compile(
    r"^(?:The new file `(?P<new>[^`]+)`"
    r"|In `(?P<old>[^`]+)`, (?P<where>below|above|in place of) `(?P<line>[^`]+)`):$"
    r"\n+```\w*\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
TRIED = re.compile(r"^Try it:$\n+```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COPIED = ("spacy_latperc", "pyproject.toml", "setup.py", ".ci", "README.md", "LICENSE")


@dataclass(frozen=True)
class Step:
    """One change of one file."""

    path: str
    where: str
    line: str
    code: str

    def apply(self, folder: Path) -> None:
        file = folder / self.path
        if self.where == "new":
            assert not file.exists(), f"{self.path} is there already"
            file.write_text(self.code, encoding="utf-8")
            return
        lines = file.read_text(encoding="utf-8").split("\n")
        places = [i for i, text in enumerate(lines) if text.strip() == self.line]
        assert len(places) == 1, f"{self.path} has {len(places)} lines '{self.line}'"
        at = places[0] + (self.where == "below")
        end = places[0] + (self.where != "above")
        lines[at:end] = self.code.rstrip("\n").split("\n")
        file.write_text("\n".join(lines), encoding="utf-8")


def steps(page: str) -> Iterator[Step]:
    for found in STEP.finditer(read(page)):
        if found["new"]:
            yield Step(found["new"], "new", "", found["code"])
        else:
            yield Step(found["old"], found["where"], found["line"], found["code"])


def read(page: str) -> str:
    return (ROOT / "docs" / "dev" / page).read_text(encoding="utf-8")


def follow(page: str, folder: Path, *, copy: bool = True) -> set[str]:
    """Do all steps of a page to a copy in the folder; the answer is which files."""
    for name in COPIED if copy else ():
        source = ROOT / name
        if source.is_dir():
            built = shutil.ignore_patterns("__pycache__", "*.cpp")
            shutil.copytree(source, folder / name, ignore=built)
        else:
            shutil.copy2(source, folder / name)
    done = list(steps(page))
    assert done, f"{page} has no steps"
    for step in done:
        step.apply(folder)
    return {step.path for step in done}


def try_it(page: str, folder: Path, *, build: bool = False) -> str:
    """Run what the page says to try, on the changed copy, and give its output."""
    tasks = ["build_ext", "--inplace", "egg_info"] if build else ["egg_info"]
    env = {**os.environ, "PYTHONPATH": str(folder)}
    # Entry points of the copy, which go before those of the installed package.
    run = [sys.executable, "setup.py", "-q", *tasks]
    made = subprocess.run(run, cwd=folder, env=env, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    (code,) = TRIED.findall(read(page))
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
