"""Feed hostile inputs to everything that reads what others wrote.

From the folder `tests`: python -m fuzz --seconds 60
"""

import argparse
import json
import re
import sys
from pathlib import Path

from .engine import Report, fuzz, try_one
from .targets import all_targets, scratch


def show(report: Report) -> None:
    counts = (
        f"{report.inputs:8} inputs {report.inputs / max(report.seconds, 1e-9):7.0f}/s"
        f" {report.taken:7} taken {len(report.codes):4} outcomes"
        f" {len(report.failures):3} failures"
    )
    print(f"{report.name:34} {counts}", flush=True)
    for failure in report.failures.values():
        print(f"    {failure.signature} ({failure.times} times)")


def save(report: Report, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    slug = re.sub(r"\W+", "-", report.name)
    for number, failure in enumerate(report.failures.values()):
        (folder / f"{slug}-{number}.input").write_bytes(failure.data)
        text = f"{failure.signature}\n{failure.times} times\n\n{failure.detail}"
        path = folder / f"{slug}-{number}.txt"
        path.write_text(text, encoding="utf8", errors="backslashreplace")


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--only", default="", help="targets whose names match this")
    parser.add_argument("--seconds", type=float, default=1e9, help="for all targets")
    parser.add_argument("--inputs", type=int, default=10**9, help="for each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", type=Path, help="folder for inputs that fail")
    parser.add_argument("--json", type=Path, help="file for what was found")
    parser.add_argument("--again", type=Path, help="one input, with --only its target")
    settings = parser.parse_args()
    reports = []
    with scratch() as folder:
        chosen = [x for x in all_targets(folder) if re.search(settings.only, x[0])]
        for _, make in chosen:
            target = make()
            if settings.again:
                print(f"{target.name}: {try_one(target, settings.again.read_bytes())}")
                continue
            inputs = settings.inputs // target.cost
            seconds = settings.seconds / len(chosen)
            report = fuzz(target, seed=settings.seed, inputs=inputs, seconds=seconds)
            reports.append(report)
            show(report)
            if settings.save:
                save(report, settings.save)
    failures = sum(len(report.failures) for report in reports)
    print(f"{sum(r.inputs for r in reports)} inputs, {failures} kinds of failure")
    if settings.json:
        rows = {}
        for report in reports:
            counts = {x: getattr(report, x) for x in ("inputs", "taken", "codes")}
            details = {f.signature: f.detail[-3000:] for f in report.failures.values()}
            rows[report.name] = {**counts, "failures": details}
        settings.json.write_text(json.dumps(rows, indent=1), encoding="utf8")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
