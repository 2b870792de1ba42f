"""Run all tests on every Python of this machine, with the lowest and newest versions.

    python .ci/matrix.py [--python 3.10 ...] [--pins lowest newest] [-- pytest options]

Each pair has an environment of its own below build/matrix, which is kept.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
# Old releases warn under newer ones of their own dependencies.
PINS: dict[str, tuple[list[str], list[str]]] = {
    "lowest": (["--constraint", ".ci/lowest.txt"], ["-W", "default"]),
    "newest": ([], []),
}


def candidates(version: str) -> Iterator[str]:
    """Yield the interpreters that may have the version."""
    yield sys.executable
    found = shutil.which(f"python{version}")
    if found:
        yield found
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(map(str, root.glob(f"versions/{version}.*/bin/python")))


def interpreter(version: str) -> str | None:
    """Find an interpreter of the version that runs (a shim of pyenv may not)."""
    asked = "import sys; print('%d.%d' % sys.version_info[:2])"
    for candidate in candidates(version):
        done = subprocess.run([candidate, "-c", asked], capture_output=True, text=True)
        if done.stdout.strip() == version:
            return candidate
    return None


def test(python: str, version: str, pins: str, options: list[str]) -> str:
    """Install into an environment of the pair, run the tests; the answer is a word."""
    folder = ROOT / "build" / "matrix" / f"{version}-{pins}"
    own = str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")
    constraint, warn = PINS[pins]
    pip = ["-m", "pip", "-q", "--disable-pip-version-check", "install"]
    build = ["--upgrade", "pip", "setuptools>=77", "cython>=3.1,<4"]
    package = ["--no-build-isolation", "--editable", ".[test]", *constraint]
    steps = [
        ("no environment", [python, "-m", "venv", str(folder)]),
        ("no environment", [own, *pip, *build]),
        ("not compiled", [own, "setup.py", "-q", "build_ext", "--inplace"]),
        ("not installed", [own, *pip, *package]),
        ("FAILED", [own, "-m", "pytest", "-q", *warn, *options]),
    ]
    for failure, command in steps:
        if subprocess.run(command, cwd=ROOT).returncode != 0:
            return failure
    return "passed"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", nargs="+", default=VERSIONS, metavar="3.X")
    parser.add_argument("--pins", nargs="+", default=list(PINS), choices=list(PINS))
    parser.add_argument("options", nargs="*", help="of pytest, after --")
    chosen = parser.parse_args()
    lines = []
    for version in chosen.python:
        python = interpreter(version)
        for pins in chosen.pins if python else ():
            print(f"== Python {version}, {pins} versions", flush=True)
            started = time.monotonic()
            word = test(str(python), version, pins, chosen.options)
            seconds = time.monotonic() - started
            lines.append(f"Python {version}, {pins:6}: {word} ({seconds:.0f} s)")
        if python is None:
            lines.append(f"Python {version}: not on this machine")
    print("\n".join(["== the table", *lines]))
    sys.exit(any("passed" not in line and "not on" not in line for line in lines))
