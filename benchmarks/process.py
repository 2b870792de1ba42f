"""Each measurement runs in a process of its own: its peak memory is its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .machine import ONE_THREAD

Result = dict[str, Any]
ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Task:
    """A measurement: a function of `tasks/` by name, and its keyword arguments."""

    function: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return json.dumps([self.function, self.arguments], sort_keys=True)


def run_task(task: Task) -> Result:
    """Run a measurement. RETURNS: what it gave, with `peak_mb` and `cpu_share`."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.child"],
        cwd=ROOT,
        input=str(task),
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **ONE_THREAD, "PYTHONIOENCODING": "utf-8"},
    )
    if done.returncode:
        last = "\n".join(done.stderr.strip().splitlines()[-5:])
        raise RuntimeError(
            f"The measurement {task.function} failed; the last lines of its output are "
            "below. Run it again with --only for its section, or leave the section "
            f"out.\n{last}"
        )
    return json.loads(done.stdout.splitlines()[-1])


class Measurements:
    """Runs measurements in turns and remembers them.

    progress: called with a line about each measurement that begins.
    """

    def __init__(self, *, runs: int, progress: Callable[[str], None]):
        self.runs = runs
        self.progress = progress
        self.done: dict[str, list[Result]] = {}

    def take(
        self, tasks: Mapping[str, Task], *, runs: int | None = None
    ) -> dict[str, list[Result]]:
        """The results of each task, `runs` of them.

        Tasks are interleaved (first, second, first, second ...), so that a machine that
        slows down for a while slows down all of them.
        """
        wanted = runs or self.runs
        for number in range(wanted):
            for name, task in tasks.items():
                results = self.done.setdefault(str(task), [])
                if len(results) <= number:
                    self.progress(f"{name}, run {number + 1} of {wanted}")
                    results.append(run_task(task))
        return {name: self.done[str(task)][:wanted] for name, task in tasks.items()}

    @property
    def least_cpu_share(self) -> float:
        """The least share of its core that any measurement had."""
        shares = [result["cpu_share"] for runs in self.done.values() for result in runs]
        return min(shares, default=1.0)
