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
    "autofit": 1090,
    "(files)": 1406,
    "cli": 2118,
    "data": 3026,
    "distributed": 1135,
    "errors": 1592,
    "explain": 660,
    "features": 1469,
    "grammaticality": 3042,
    "io": 2094,
    "judge": 8956,
    "kernels": 18179,
    "knowledge": 1934,
    "learners": 3954,
    "parser": 4044,
    "report": 640,
    "pipeline": 4727,
    "schemes": 969,
    "text": 1074,
    "training": 1286,
}
WHOLE = 61005


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
