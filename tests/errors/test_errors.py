"""Codes: each has one message, somebody raises it, and it can be filled in."""

import ast
import re
import string
from collections import Counter
from pathlib import Path

from spacy_latperc import errors
from tools.docs_reference import errors_page

ROOT = Path(__file__).resolve().parents[2]
ROOMS = sorted(Path(errors.__file__).parent.glob("*.py"))
SOURCES = [
    path
    for folder in ("spacy_latperc", "benchmarks", "experiments", "tools")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".pyx", ".pxi")
]


def messages() -> list[tuple[str, str, str]]:
    """(class, code, message) as written, so that one that hides another is seen."""
    found = []
    for room in ROOMS:
        for kind in ast.parse(room.read_text(encoding="utf8")).body:
            if isinstance(kind, ast.ClassDef) and kind.name in ("Errors", "Warnings"):
                for entry in kind.body:
                    if isinstance(entry, ast.Assign):
                        (name,) = entry.targets
                        message = ast.literal_eval(entry.value)
                        found.append((kind.name, name.id, message))
    return found


MESSAGES = messages()


def test_codes_are_given_once_raised_somewhere_and_documented():
    assert len(MESSAGES) > 100
    twice = [code for code, n in Counter(m[1] for m in MESSAGES).items() if n > 1]
    assert not twice
    pattern = re.compile(r"\b(Errors|Warnings)\.(LP\d{3})\b")
    texts = (path.read_text(encoding="utf8") for path in SOURCES)
    used = {found for text in texts for found in pattern.findall(text)}
    assert used == {(kind, code) for kind, code, _ in MESSAGES}
    headings = re.findall(r"^### (LP\d{3})$", errors_page(), flags=re.MULTILINE)
    assert sorted(headings) == sorted(code for _, code, _ in MESSAGES)


def test_messages_say_their_code_and_what_was_found():
    for kind, code, message in MESSAGES:
        assert re.fullmatch(r"LP9\d\d" if kind == "Warnings" else r"LP[0-8]\d\d", code)
        assert getattr(getattr(errors, kind), code) == f"[{code}] {message}"
        fields = [name for _, name, _, _ in string.Formatter().parse(message) if name]
        assert all(field.isidentifier() for field in fields), code
        assert message == message.strip(), code
