"""Runs one measurement: `python -m benchmarks.child`, task in, result out.

The task comes on standard input and the result leaves on standard output, both JSON.
"""

import json
import sys
from contextlib import redirect_stdout
from importlib import import_module
from time import perf_counter, process_time

from .corpora import BenchCorpus
from .machine import peak_memory


def main() -> None:
    name, arguments = json.load(sys.stdin)
    module, function = name.split(".")
    if "corpus" in arguments:
        arguments["corpus"] = BenchCorpus(**arguments["corpus"])
    task = getattr(import_module(f"benchmarks.tasks.{module}"), function)
    wall, cpu = perf_counter(), process_time()
    with redirect_stdout(sys.stderr):
        result = task(**arguments)
    wall, cpu = perf_counter() - wall, process_time() - cpu
    # A task that does more than what is measured says its peak itself.
    result = {"peak_mb": peak_memory(), "cpu_share": cpu / wall, **result}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
