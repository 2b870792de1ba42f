"""The map shows what is there."""

import re

import pytest
from project_files import ROOT

PACKAGE = ROOT / "spacy_latperc"
PAGES = sorted((ROOT / "docs" / "dev").glob("*.md"))
pytestmark = pytest.mark.skipif(
    not (PACKAGE / "kernels").exists(), reason="a wheel is tested: there is no tree"
)
NAMED = re.compile(r"`([\w./-]+(?:/|\.(?:py|pyx|pxd|pxi|hh|md|toml|cfg)))`")
NEW = re.compile(r"^The new file `([^`]+)`", re.MULTILINE)


def is_there(name: str) -> bool:
    """Check that a file is in the project or the package, in any folder of it."""
    if "/" in name.rstrip("/"):
        return any((folder / name).exists() for folder in (ROOT, PACKAGE))
    if (ROOT / name).exists() or (PACKAGE / name).exists():
        return True
    return len(list(PACKAGE.rglob(name.rstrip("/")))) == 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_architecture_pages_name_files_that_exist(page):
    text = page.read_text(encoding="utf-8")
    made = set(NEW.findall(text))
    named = set(NAMED.findall(text)) - made
    assert named or page.name != "architecture.md"
    assert not sorted(name for name in named if not is_there(name))


def test_architecture_shows_every_room():
    text = (ROOT / "docs" / "dev" / "architecture.md").read_text(encoding="utf-8")
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert {room for room in rooms if f"| `{room}/` |" not in text} == set()
