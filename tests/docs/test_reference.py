"""The generated reference says something of every setting, command and public name."""

import json
import re

import pytest
import tomllib
from builders.outputs import commands

from spacy_latperc import api
from spacy_latperc.errors import Errors, Warnings
from spacy_latperc.features import attributes
from tools import docs_reference
from tools.docs_reference import ROOT, entry_points, generated_pages, setting_texts
from tools.messages import PAGES

NAVIGATION = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
REGISTERED = set(
    tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "entry-points"
    ]
)
# What was tried for the developers' eyes, and what it brought then.
TRIED = [
    ROOT / "docs" / "dev" / name
    for name in ("left-out.md", "speed.md", "speed-tried.md")
]
# Scores, shares and seconds in prose belong into results, where they are measured.
FIGURE = re.compile(r"\b\d\d\.\d|\d ?%|\b\d+ (?:s|ms|MB|GB|times|points)\b")


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return generated_pages()


def test_every_learner_has_a_page_and_every_setting_a_description(
    pages: dict[str, str],
) -> None:
    learners = {
        name: setting_texts(function)
        for name, function in entry_points("spacy_misc").items()
        if docs_reference.returns_learner(function)
    }
    assert len(learners) == 11
    for name, texts in learners.items():
        short = name.removeprefix("spacy_latperc.").removesuffix(".v1")
        assert f"reference/learners/{short}.md" in pages
        assert [setting for setting, text in texts.items() if not text] == [], name


def test_every_component_is_described_with_its_default_model(
    pages: dict[str, str],
) -> None:
    text = pages["reference/components.md"]
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\|(.*)\|$", text, re.M)
    assert rows
    assert {name for name, text in rows if not text.strip()} == set()
    for name in entry_points("spacy_factories"):
        # The judge has no model.
        assert name == "latperc_judge" or f"[components.{name}.model]\n" in text


def anchors(text: str) -> set[str]:
    """The anchors of the headings of a page, and what its tables describe."""
    return set(re.findall(r"^#+ (.*)$", text, re.M))


def test_every_block_of_a_config_is_described(pages: dict[str, str]) -> None:
    found = anchors(pages["reference/blocks.md"])
    for group in REGISTERED - {"spacy_factories", "spacy_cli"}:
        for name, function in entry_points(group).items():
            short = name.removeprefix("spacy_latperc.").rpartition(".")[0]
            if f"reference/learners/{short}.md" not in pages:
                assert {short, name.removeprefix("spacy_latperc.")} & found, name
                assert f'= "{name}"`' in pages["reference/blocks.md"]
                nothing = [k for k, text in setting_texts(function).items() if not text]
                assert nothing == [], name


def test_every_command_and_option_is_there(pages: dict[str, str]) -> None:
    text = pages["reference/cli.md"]
    for name, command in commands().items():
        assert f"\n## {name}\n" in text
        section = text.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        for parameter in command.params:
            for option in parameter.opts:
                if option != "--help":
                    shown = option if option.startswith("-") else option.upper()
                    assert f"`{shown}`" in section, (name, option)


def test_every_attribute_and_named_set_of_templates_is_there() -> None:
    text = (ROOT / "docs" / "reference" / "templates.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"`([^`]+)`", text))
    missing = {attribute.name for attribute in attributes._TABLE} - shown
    missing |= {short for short in attributes._ALIASES if short not in shown}
    kinds = {name.partition(".")[0] for name in shown if "." in name}
    missing |= set(attributes.SOURCE_KINDS) - kinds
    for name, function in entry_points("spacy_misc").items():
        if docs_reference._returns(function, "FeatureSet") and name not in shown:
            missing.add(name)
    assert missing == set()


def test_names_in_pages_and_configs_are_registered() -> None:
    known = {name for group in REGISTERED for name in entry_points(group)}
    files = [
        ROOT / "README.md",
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("configs/*.cfg"),
    ]
    for file in files:
        if file.parent.name != "dev":  # these pages add names of their own
            text = file.read_text(encoding="utf-8")
            named = set(re.findall(r"spacy_latperc\.\w+\.v\d+", text))
            assert named - known == set(), file


def test_every_public_name_and_every_error_is_there(pages: dict[str, str]) -> None:
    assert set(api.__all__) <= anchors(pages["reference/python.md"])
    codes = re.findall(r"^### (LP\d+)$", pages["reference/errors.md"], re.M)
    assert len(codes) == len(set(codes)) > 150
    tables = [*dir(Errors), *dir(Warnings)]
    assert set(codes) == {code for code in tables if code[:2] == "LP"}
    messages = json.loads(docs_reference.errors_as_json())
    assert list(messages) == codes
    assert messages["LP104"].keys() == {"kind", "text", "topic", "pages"}
    for named in PAGES.values():
        for page in named:
            path = page.replace(".html", ".md")
            assert path in pages or (ROOT / "docs" / path).is_file(), page


def test_every_page_is_in_the_navigation(pages: dict[str, str]) -> None:
    """Two clicks away: the navigation, and the list of headings of the page. The search
    needs no network."""
    written = [str(x.relative_to(ROOT / "docs")) for x in (ROOT / "docs").rglob("*.md")]
    named = re.findall(r"[-:] (\S+\.md)$", NAVIGATION, re.M)
    assert sorted(named) == sorted([*pages, *written])
    listed = docs_reference.files_for_programs()["llms.txt"]
    assert re.findall(r"\((\S+)\.html\)", listed) == [x[:-3] for x in named]
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150
    (script,) = re.findall(r"polyfills: \[(.*)\]", NAVIGATION)
    assert script == "assets/iframe-worker.js"
    assert (ROOT / "docs" / script).is_file()


def test_pages_are_shown_as_they_are_meant(pages: dict[str, str]) -> None:
    """Tables are whole, lists are lists, nothing in angle brackets is lost, and
    signatures are short and the same each time."""
    for page, text in pages.items():
        assert "``" not in text.replace("```", ""), page
        prose = re.sub(r"^```.*?^```$|^    .*?$", "", text, flags=re.M | re.S)
        assert "<" not in prose, page
        columns, before = 0, ""
        for line in text.splitlines():
            found = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("| ") else 0
            assert found == columns or not found or not columns, (page, line)
            columns = found
            if line.startswith("- "):
                assert before == "" or before.startswith(("- ", "  ")), (page, line)
            before = line
    text = pages["reference/python.md"]
    for block in re.findall(r"^```text\n(.*?)^```", text, re.M | re.S):
        assert max(map(len, block.splitlines())) <= 120, block
        assert "collections.abc" not in block and " at 0x" not in block, block


def test_no_page_has_figures_copied_by_hand_or_backslashes_in_code_of_tables() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        text = page.read_text(encoding="utf-8")
        # GitHub takes them out of code, the site does not: <code> and &#124; suit both.
        assert not re.search(r"^\|.*`[^`\n]*\\\|[^`\n]*`", text, re.M), page
        if page.parent.name == "results" or page in TRIED:
            continue
        # What `python -m benchmarks.results` writes, and what blocks print.
        written = r"<!-- results.*?begin -->.*?<!-- results.*?end -->|^```.*?^```$"
        text = re.sub(written, "", text, flags=re.M | re.S)
        assert FIGURE.findall(text) == [], page
