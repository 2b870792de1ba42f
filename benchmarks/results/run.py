"""Run entries of the grid and keep what they print, one JSON file for each."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from tools.corpora.locate import data_folder

from ..machine import ONE_THREAD, describe_machine
from .entry import GRID, Entry

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
Results = dict[str, dict[str, Any]]  # by name


def run_grid(
    only: Sequence[str], *, slow: bool, progress: Callable[[str], None]
) -> None:
    """Run the entries of these names, or all; slow ones only when asked for."""
    folder = data_folder()
    if folder is None:
        raise ValueError("There are no corpora here: set LATPERC_DATA to their folder.")
    chosen = [
        entry
        for entry in GRID
        if (entry.name in only if only else slow or not entry.slow)
    ]
    unknown = set(only) - {entry.name for entry in GRID}
    if unknown:
        known = ", ".join(entry.name for entry in GRID)
        names = ", ".join(sorted(unknown))
        raise ValueError(f"There are no results called {names}. Known: {known}")
    RESULTS.mkdir(exist_ok=True)
    failed = []
    with TemporaryDirectory() as work:
        prepared: set[str] = set()
        for number, entry in enumerate(chosen, 1):
            progress(f"{number}/{len(chosen)} {entry.name}: {entry.title}")
            lacking = [name for name in entry.needs if find_spec(name) is None]
            if lacking:
                progress(f"  skipped: {', '.join(lacking)} is not installed")
                continue
            start = perf_counter()
            try:
                result = run_entry(entry, folder, Path(work), prepared)
            except RuntimeError as error:  # the others take long and can still be had
                progress(f"  failed: {error}")
                failed.append(entry.name)
                continue
            progress(f"  {perf_counter() - start:.0f} s")
            text = json.dumps(result, indent=2, ensure_ascii=False)
            (RESULTS / f"{entry.name}.json").write_text(text + "\n", encoding="utf-8")
    if failed:
        raise RuntimeError(f"Not measured: {', '.join(failed)}")


def run_entry(
    entry: Entry, data: Path, work: Path, prepared: set[str]
) -> dict[str, Any]:
    """The figures of one entry, with all that is needed to make them again.

    Args:
        entry: The entry.
        data: The folder of the corpora.
        work: The folder that entries share.
        prepared: Commands whose files are there already: what another entry has
            prepared is not made again.
    """
    figures = work / "figures.json"
    figures.unlink(missing_ok=True)
    places = {"data": str(data), "json": str(figures), "work": str(work)}
    *before, last = entry.commands
    for command in before:
        if command not in prepared:
            _run(command, places)
            prepared.add(command)
    shown = _run(last, places)
    return {
        "name": entry.name,
        "commands": [_shown(command) for command in entry.commands],
        "date": date.today().isoformat(),
        "revision": revision(),
        "machine": describe_machine(),
        "output": shown.replace(str(work), "WORK").replace(str(data), "$LATPERC_DATA"),
        "figures": json.loads(figures.read_text()) if figures.is_file() else None,
    }


def _run(command: str, places: dict[str, str]) -> str:
    words = [_placed(word, places) for word in shlex.split(command)]
    words[0] = sys.executable
    done = subprocess.run(
        words,
        cwd=ROOT,
        env={**os.environ, **ONE_THREAD, "NO_COLOR": "1", "COLUMNS": "100"},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{command}\n{done.stdout}\n{done.stderr}")
    return _plain(done.stdout)


# How far a command has got, and where it has written its files.
_PROGRESS = re.compile(r"\s*\d+ s  |✔ (?:Saved|Wrote)")


def _plain(output: str) -> str:
    """Clean the output of a command of colours and of the paths of its files."""
    lines = [
        line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", output).splitlines()
    ]
    kept = [line for line in lines if not _PROGRESS.match(line)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n") + "\n"


def _placed(word: str, places: dict[str, str]) -> str:
    """A word of a command; braces that are no place of ours stay as they are."""
    for name, place in places.items():
        word = word.replace("{" + name + "}", place)
    return word


def _shown(command: str) -> str:
    """A command as a reader may type it."""
    places = {"{data}": "$LATPERC_DATA", "{work}": "WORK"}
    for place, text in places.items():
        command = command.replace(place, text)
    return command.replace(" --json {json}", "").replace(" --output {json}", "")


def revision() -> str:
    """The commit, marked if files are changed that are not made by these commands."""
    made = (":!results", ":!docs/results", ":!docs/guides/knowledge.md", ":!README.md")
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", *made)
    commit = _git("rev-parse", "--short=7", "HEAD") or "unknown"
    return f"{commit}-dirty" if changed else commit


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip()
