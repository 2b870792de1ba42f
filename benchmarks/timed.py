"""Run a command of the package and write what it took:
`python -m benchmarks.timed FILE judge train TEXT -o FOLDER`.
"""

import resource
import subprocess
import sys
from pathlib import Path

from spacy_latperc.io.jsonl import write_json


def main() -> None:
    """Run the command, and write its CPU seconds and its peak memory."""
    path, *command = sys.argv[1:]
    cpu, megabytes = run_timed(command)
    write_json(Path(path), {"seconds": cpu, "megabytes": megabytes})


def run_timed(command: list[str]) -> tuple[float, float]:
    """Return the CPU seconds and the peak memory (MB) of a command of the package, the
    first one that this process runs."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    whole = [sys.executable, "-m", "spacy", "latperc", *command]
    subprocess.run(whole, check=True, stdout=sys.stderr)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    return seconds, used.ru_maxrss / 1e3


if __name__ == "__main__":
    main()
