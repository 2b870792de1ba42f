"""`python -m benchmarks.compare BASE`: the speed of this tree beside a revision's.

Both are measured in the same run, by turns, each by its own benchmarks: figures of
different days or machines do not compare.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import typer
from wasabi import msg

from tools.corpora.locate import VARIABLE, data_folder

ROOT = Path(__file__).resolve().parent.parent
# What of a report is time or speed; the other figures are scores and sizes.
FASTER_WHEN_LESS = {"s", "ms", "us", "us/token", "ns/token"}
HEADER = ("", "unit", "base", "here", "here / base", "")
SLOWER = "SLOWER"
Figures = Mapping[str, Mapping[str, Any]]


def main(
    base: str = typer.Argument(..., help="A revision: a tag, a branch, a commit"),
    only: str = typer.Option(
        "training,tagging,sums", "--only", help="Sections of the benchmarks"
    ),
    rounds: int = typer.Option(3, "--rounds", "-r", min=1, help="Turns of each side"),
    quick: bool = typer.Option(False, "--quick", help="See that it works"),
    limit: float = typer.Option(0.02, "--limit", help="The share that is no change"),
) -> None:
    """Measure a revision and this tree by turns, and show the ratios.

    It fails where this tree is slower by more than the limit.
    """
    folder = unpacked(base)
    measured: dict[Path, list[Figures]] = {folder: [], ROOT: []}
    for turn in range(rounds):
        sides = [folder, ROOT] if turn % 2 == 0 else [ROOT, folder]
        for side in sides:
            name = "here" if side == ROOT else base
            msg.text(f"round {turn + 1} of {rounds}: {name}")
            measured[side].append(measure(side, only, quick))
    lines = compared(measured[folder], measured[ROOT], limit)
    aligns = ("l", "l", "r", "r", "r", "l")
    msg.table(lines, header=HEADER, divider=True, aligns=aligns, max_col=70)
    if slower := sum(mark == SLOWER for *_, mark in lines):
        msg.fail(f"{slower} of {len(lines)} figures are slower by {limit:.0%}", exits=1)


def unpacked(revision: str) -> Path:
    """Unpack and compile the revision below build/compare, once."""
    asked = ["git", "rev-parse", "--short", f"{revision}^{{commit}}"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        msg.fail(f"git knows no revision '{revision}'", exits=1)
    folder = ROOT / "build" / "compare" / done.stdout.strip()
    if not (folder / "compiled").exists():
        msg.text(f"compiling {revision} in {folder}")
        folder.mkdir(parents=True, exist_ok=True)
        packed = subprocess.run(
            ["git", "archive", revision], cwd=ROOT, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x"], cwd=folder, input=packed.stdout, check=True)
        # Its own entry points go before those of the installed package.
        setup = ["-c", "from setuptools import setup; setup()"]
        script = ["setup.py"] if (folder / "setup.py").exists() else setup
        tasks = ["-q", "build_ext", "--inplace", "egg_info"]
        command = [sys.executable, *script, *tasks]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            msg.fail(f"It does not compile in {folder}", done.stderr, exits=1)
        (folder / "compiled").touch()
    return folder


def measure(folder: Path, only: str, quick: bool) -> Figures:
    """Run the benchmarks of the tree in the folder once."""
    report = ROOT / "build" / "compare" / "report.json"
    options = ["--only", only, "--runs", "1", "--output", str(report)]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    if (data := data_folder()) is not None:
        environment[VARIABLE] = str(data)  # its default is beside this tree only
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", *options, *(["--quick"] if quick else [])],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        msg.fail(f"The benchmarks fail in {folder}", done.stdout + done.stderr, exits=1)
    figures = json.loads(report.read_text(encoding="utf-8"))["figures"]
    return {f"{each['section']}: {each['what']}": each for each in figures}


def compared(
    base: Sequence[Figures], here: Sequence[Figures], limit: float = 0.02
) -> list[tuple[str, str, str, str, str, str]]:
    """One line for each time and speed that both sides give, by medians of the rounds.

    A figure is marked only where the two sides lie apart in each of several rounds, and
    their medians by more than the limit.
    """
    lines = []
    for name, figure in here[0].items():
        unit = figure["unit"]
        times = unit in FASTER_WHEN_LESS
        if name not in base[0] or not (times or unit.endswith("/s")):
            continue
        before = [report[name]["median"] for report in base]
        after = [report[name]["median"] for report in here]
        ratio = median(after) / median(before)
        mark = ""
        if len(base) > 1 and abs(ratio - 1) > limit:
            if min(after) > max(before):
                mark = SLOWER if times else "faster"
            elif max(after) < min(before):
                mark = "faster" if times else SLOWER
        values = (f"{median(before):.4g}", f"{median(after):.4g}", f"{ratio:.3f}")
        lines.append((name, unit, *values, mark))
    return lines


if __name__ == "__main__":
    typer.run(main)
