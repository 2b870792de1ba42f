"""Every link of README, CONTRIBUTING and the pages leads somewhere; no network."""

import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import join, normpath

import pytest
from project_files import ROOT

from tools.docs_reference import generated_pages

pytestmark = pytest.mark.skipif(
    not (ROOT / "mkdocs.yml").exists(), reason="a wheel is tested: there is no tree"
)
LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)|<(?P<url>https?://[^>]+)>")
# Names of what is outside: a page that is not on this list was not looked at by anyone.
OUTSIDE = {
    "https://spacy.io",
    "https://universaldependencies.org",
    "https://universaldependencies.org/conll18/evaluation.html",
}


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """All pages by their place in the repository, the generated ones among them."""
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")]
    written = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in files
    }
    return written | {f"docs/{name}": text for name, text in generated_pages().items()}


def prose(text: str) -> str:
    """A page without its blocks and without code in lines."""
    text = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "`code`", text)


def anchors(text: str) -> set[str]:
    """The anchors of the headings of a page, as the site and GitHub make them."""
    text = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.M | re.S)
    found: set[str] = set()
    for heading in re.findall(r"^#+ +(.+?) *$", text, re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\s-]", "", plain).strip().lower()
        slug, number = re.sub(r"[-\s]+", "-", slug), 0
        while (one := f"{slug}_{number}" if number else slug) in found:
            number += 1
        found.add(one)
    return found


def links(text: str) -> Iterator[str]:
    for match in LINK.finditer(prose(text)):
        yield match["target"] or match["url"]


def is_there(page: str, target: str, known: dict[str, str]) -> bool:
    """Check that a link leads to a file of the project, and to a heading of it."""
    if target.startswith(("http:", "https:")):
        return target in OUTSIDE
    path, _, anchor = target.partition("#")
    place = normpath(join(Path(page).parent.as_posix(), path)) if path else page
    if place not in known:
        return not anchor and (ROOT / place).exists()
    return not anchor or anchor in anchors(known[place])


def test_every_link_leads_somewhere(pages: dict[str, str]) -> None:
    broken = [
        f"{page}: {target}"
        for page, text in pages.items()
        for target in links(text)
        if not is_there(page, target, pages)
    ]
    assert broken == []


def test_a_broken_link_is_found() -> None:
    known = {"docs/a.md": "# A b\n\n## C\n\n## C\n", "docs/d/e.md": "# E\n"}
    assert is_there("docs/d/e.md", "../a.md#a-b", known)
    assert is_there("docs/a.md", "#c_1", known)
    assert not is_there("docs/a.md", "#c_2", known)
    assert not is_there("docs/a.md", "e.md", known)
    assert not is_there("docs/a.md", "https://example.org", known)
    assert list(links("`[x](y)` ![p](q.svg) [r](s.md#t)")) == ["q.svg", "s.md#t"]


def test_no_page_of_the_site_links_out_of_it(pages: dict[str, str]) -> None:
    """GitHub shows such a link; the site, which has only docs/, does not."""
    for page, text in pages.items():
        if page.startswith("docs/"):
            for target in links(text):
                if not target.startswith("http"):
                    place = normpath(join(Path(page).parent.as_posix(), target))
                    assert place.startswith("docs/"), (page, target)
