"""The generated reference says something of every setting, command and public name."""

import re
from pathlib import Path

import pytest
import tomllib

from tools import docs_reference
from tools.docs_reference import ROOT, entry_points, generated_pages, setting_texts


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return generated_pages()


def test_every_learner_has_a_page(pages: dict[str, str]) -> None:
    learners = [
        name.removeprefix("spacy_latperc.").removesuffix(".v1")
        for name, function in entry_points("spacy_misc").items()
        if docs_reference._returns_learner(function)
    ]
    assert len(learners) >= 12
    for name in learners:
        assert f"reference/learners/{name}.md" in pages


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, function in entry_points("spacy_misc").items()
        if docs_reference._returns_learner(function)
    ],
)
def test_every_setting_of_a_learner_is_described(name: str) -> None:
    texts = setting_texts(entry_points("spacy_misc")[name])
    assert [setting for setting, text in texts.items() if not text] == []


def test_every_setting_of_a_component_is_described(pages: dict[str, str]) -> None:
    rows = re.findall(
        r"^\| `(\w+)` \|[^|]*\|(.*)\|$", pages["reference/components.md"], re.M
    )
    assert rows
    assert {name for name, text in rows if not text.strip()} == set()


def test_every_command_is_there(pages: dict[str, str]) -> None:
    for command in ("fit", "evaluate", "convert", "filter", "train-grammaticality"):
        assert f"\n## {command}\n" in pages["reference/cli.md"]


def test_every_error_has_an_anchor(pages: dict[str, str]) -> None:
    codes = re.findall(r"^### (LP\d+)$", pages["reference/errors.md"], re.M)
    assert len(codes) == len(set(codes)) > 150


def test_tables_are_whole_and_lists_are_lists(pages: dict[str, str]) -> None:
    for page, text in pages.items():
        assert "``" not in text.replace("```", ""), page
        columns, before = 0, ""
        for line in text.splitlines():
            found = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("| ") else 0
            assert found == columns or not found or not columns, (page, line)
            columns = found
            if line.startswith("- "):
                assert before == "" or before.startswith(("- ", "  ")), (page, line)
            before = line


def test_signatures_are_short_and_the_same_each_time(pages: dict[str, str]) -> None:
    text = pages["reference/python.md"]
    for block in re.findall(r"^```text\n(.*?)^```", text, re.M | re.S):
        assert max(map(len, block.splitlines())) <= 120, block
        assert "collections.abc" not in block and " at 0x" not in block, block


def test_nothing_in_angle_brackets_is_lost(pages: dict[str, str]) -> None:
    for page, text in pages.items():
        prose = re.sub(r"^```.*?^```$|^    .*?$", "", text, flags=re.M | re.S)
        assert "<" not in prose, page


def test_no_code_in_a_table_shows_a_backslash() -> None:
    """GitHub takes it out of code, the site does not: <code> and &#124; suit both."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for line in page.read_text(encoding="utf-8").splitlines():
            assert not (
                line.startswith("|") and re.search(r"`[^`]*\\\|[^`]*`", line)
            ), page


def test_every_component_shows_its_default_model(pages: dict[str, str]) -> None:
    for name in entry_points("spacy_factories"):
        assert f"[components.{name}.model]\n" in pages["reference/components.md"]


def test_every_page_is_in_the_navigation() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs").rglob("*.md")):
        target = re.escape(str(page.relative_to(ROOT / "docs")))
        assert len(re.findall(rf"[-:] {target}$", text, re.M)) == 1, page


def test_the_search_of_the_site_needs_no_network() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    (script,) = re.findall(r"polyfills: \[(.*)\]", text)
    assert script == "assets/iframe-worker.js"
    assert (ROOT / "docs" / script).is_file()


def test_links_of_the_readme_lead_somewhere() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", readme):
        if not target.startswith("http"):
            assert (ROOT / target).exists(), target
    assert len(readme.splitlines()) <= 150


def test_the_extra_of_the_docs_is_declared() -> None:
    project = tomllib.loads(Path(ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "docs" in project["project"]["optional-dependencies"]
