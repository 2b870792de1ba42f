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
    "autofit": 1664,
    "(files)": 1316,
    "cli": 2230,
    "data": 2728,
    "distributed": 1107,
    "errors": 1704,
    "explain": 738,
    "features": 1582,
    "grammaticality": 2631,
    "io": 1989,
    "judge": 7564,
    "kernels": 17337,
    "knowledge": 2801,
    "learners": 3954,
    "parser": 3719,
    "report": 621,
    "pipeline": 4637,
    "schemes": 856,
    "sequence": 830,
    "text": 1021,
    "training": 1114,
}
WHOLE = 62143


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
