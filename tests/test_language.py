"""The package is written in plain English, room by room.

A docstring begins with an imperative verb or with a noun phrase and its article. Rooms
that do not do so yet are listed with a number, which may only fall.
"""

import ast
import re
from collections import Counter

from project_files import PACKAGE, ROOT, nodes_of, package_files, relative, text_of

FRAGMENT = re.compile(
    r"(?:What|Of|Those|Whoever|Whether|How|That|Who|Where|When|Which|If|As|So|Not|With"
    r"|Without|By|For|In|On|From|Here|Such)\b"
)
TICS = re.compile(
    r"\b(?:[Ww]hoever|of which none|of no matter|by halves|are (?:many|deep|far)\.)"
)
# Docstrings that still begin with a fragment. Lower a number when a room is rewritten.
LEFT: dict[str, int] = {
    "judge": 11,
}
LEFT_TICS: dict[str, int] = {
    "judge": 1,
}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def room_of(path) -> str:
    return path.relative_to(PACKAGE).parts[0]


def fragments() -> Counter[str]:
    found: Counter[str] = Counter()
    for path in package_files(".py"):
        for node in nodes_of(path):
            if isinstance(node, DOCUMENTED):
                docstring = ast.get_docstring(node)
                if docstring and FRAGMENT.match(docstring):
                    found[room_of(path)] += 1
    return found


def test_docstrings_begin_with_a_verb_or_an_article():
    found = fragments()
    assert {room: n for room, n in found.items() if n > LEFT.get(room, 0)} == {}


def test_rooms_that_were_rewritten_are_taken_off_the_list():
    found = fragments()
    assert {room: n for room, n in LEFT.items() if found[room] < n} == {}


def test_package_has_no_tics():
    found: Counter[str] = Counter()
    for path in package_files(".py", ".pyx", ".pxd", ".pxi", ".hh"):
        found[room_of(path)] += len(TICS.findall(text_of(path)))
    assert {room: n for room, n in found.items() if n > LEFT_TICS.get(room, 0)} == {}


def test_pages_have_no_tics():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    assert [relative(page) for page in pages if TICS.search(text_of(page))] == []
