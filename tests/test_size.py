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
    "autofit": 1694,
    "(files)": 1304,
    "cli": 2271,
    "data": 2728,
    "distributed": 1057,
    "errors": 1680,
    "explain": 711,
    "features": 1529,
    "grammaticality": 2573,
    "io": 1917,
    "judge": 7274,
    "kernels": 17353,
    "knowledge": 2686,
    "learners": 3873,
    "parser": 3689,
    "report": 606,
    "pipeline": 4575,
    "schemes": 833,
    "sequence": 816,
    "text": 954,
    "training": 1080,
}
WHOLE = 61203


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
