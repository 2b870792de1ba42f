"""`filter` on a cluster of two local nodes beside two plain processes, in the same run.

    python -m benchmarks.cluster_filter MODEL TEXT --sentences 500000 --json FILE

Each run is a whole command, from the start of Python to the last byte written; the
cluster runs already. What the two write must be the same.
"""

import gzip
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Annotated

import typer
from wasabi import msg

from .ray_nodes import local_nodes

TARGET = 1.15
ROOT = Path(__file__).resolve().parents[1]


def main(
    model: Annotated[Path, typer.Argument(help="A pipeline that scores sentences")],
    text: Annotated[Path, typer.Argument(help="A sentence on each line, or .gz")],
    sentences: Annotated[int, typer.Option(min=1, help="How many are filtered")] = (
        500_000
    ),
    runs: Annotated[int, typer.Option(min=1, help="Of each of the two")] = 3,
    figures: Annotated[
        Path | None, typer.Option("--json", help="File for all figures")
    ] = None,
) -> None:
    """Filter the same sentences by turns, and compare the wall times."""
    with TemporaryDirectory() as work:
        folder = Path(work)
        source = folder / "text.txt"
        source.write_text("".join(islice(_lines(text), sentences)), encoding="utf8")
        start = perf_counter()
        with local_nodes(2, connect=False) as cluster:
            started = perf_counter() - start
            kinds = {"two processes": [], "two nodes": ["--ray", cluster.address]}
            times: dict[str, list[float]] = {name: [] for name in kinds}
            written: set[bytes] = set()
            for _ in range(runs):
                for name, options in kinds.items():
                    target = folder / "kept.txt"
                    times[name].append(_run(model, source, target, options))
                    written.add(target.read_bytes())
    if len(written) != 1:
        msg.fail("The cluster did not write what two processes wrote", exits=1)
    _report(sentences, times, started, figures)


def _lines(path: Path) -> Iterator[str]:
    """The lines of a text, again and again."""
    while True:
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", encoding="utf8") as file:
            yield from file


def _run(model: Path, source: Path, target: Path, options: list[str]) -> float:
    command = [sys.executable, "-m", "spacy", "latperc", "filter"]
    command += [*map(str, (model, source, target)), "-p", "2", "--quiet", *options]
    start = perf_counter()
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")
    return perf_counter() - start


def _report(
    sentences: int, times: dict[str, list[float]], started: float, path: Path | None
) -> None:
    medians = {name: statistics.median(found) for name, found in times.items()}
    plain, cluster = medians.values()
    rows = [
        (name, f"{seconds:.1f}", f"{sentences / seconds:,.0f}")
        for name, seconds in medians.items()
    ]
    header = (f"{sentences:,} sentences", "seconds", "a second")
    msg.table(rows, header=header, divider=True, aligns=("l", "r", "r"))
    ratio = cluster / plain
    reached = "reached" if ratio <= TARGET else "missed"
    msg.text(f"Ratio of the medians: {ratio:.2f} (at most {TARGET}: {reached})")
    msg.text(f"The nodes took {started:.1f} seconds to start, which do not count")
    if path:
        found = {"sentences": sentences, "seconds": times, "ratio": ratio}
        path.write_text(json.dumps({**found, "target": TARGET, "start": started}))


if __name__ == "__main__":
    typer.run(main)
