"""The package has a budget of lines by room. A commit that raises one says why."""

from collections import Counter
from pathlib import Path

from project_files import PACKAGE, package_files, text_of

SUFFIXES = (".py", ".pyi", ".pyx", ".pxd", ".pxi", ".hh", ".cc", ".sh", ".html", ".js")
# Headers of the wings, whose extensions are compiled with the others.
PARSER = ("kernels/parser/", "kernels/parsing.pyx")
JUDGE = ("kernels/context/", "kernels/ngrams/evidence")
# Lines at most, of code, comments and blanks.
BUDGET: dict[str, int] = {
    "(files)": 1407,
    "cli": 2443,
    "data": 3067,
    "distributed": 1136,
    "errors": 1703,
    "features": 1479,
    "grammaticality": 3607,
    "io": 2140,
    "judge": 10700,
    "kernels": 18484,
    "knowledge": 2000,
    "learners": 4463,
    "parser": 4087,
    "pipeline": 5076,
    "schemes": 1014,
    "text": 1075,
    "training": 1286,
}
WHOLE = 65167


def room_of(path: Path) -> str:
    name = path.relative_to(PACKAGE).as_posix()
    if name.startswith(PARSER):
        return "parser"
    if name.startswith(JUDGE):
        return "judge"
    return name.split("/")[0] if "/" in name else "(files)"


def sizes() -> Counter[str]:
    found: Counter[str] = Counter()
    for path in package_files(*SUFFIXES):
        found[room_of(path)] += text_of(path).count("\n")
    return found


def test_rooms_stay_within_their_budget():
    found = sizes()
    assert set(found) == set(BUDGET)
    assert {room: n for room, n in found.items() if n > BUDGET[room]} == {}


def test_package_stays_within_its_budget():
    assert sum(sizes().values()) <= WHOLE
