"""The generated reference says something of every setting, command and public name."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

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


def test_every_learner_has_a_page(pages: dict[str, str]) -> None:
    learners = [
        name.removeprefix("spacy_latperc.").removesuffix(".v1")
        for name, function in entry_points("spacy_misc").items()
        if docs_reference.returns_learner(function)
    ]
    assert len(learners) >= 12
    for name in learners:
        assert f"reference/learners/{name}.md" in pages


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, function in entry_points("spacy_misc").items()
        if docs_reference.returns_learner(function)
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


def test_every_public_name_is_there(pages: dict[str, str]) -> None:
    assert set(api.__all__) <= anchors(pages["reference/python.md"])


def test_every_error_has_an_anchor(pages: dict[str, str]) -> None:
    codes = re.findall(r"^### (LP\d+)$", pages["reference/errors.md"], re.M)
    assert len(codes) == len(set(codes)) > 150
    assert set(codes) == {
        code for table in (Errors, Warnings) for code in dir(table) if code[:2] == "LP"
    }


def test_messages_lead_to_pages_that_are_there(pages: dict[str, str]) -> None:
    for named in PAGES.values():
        for page in named:
            path = page.replace(".html", ".md")
            assert path in pages or (ROOT / "docs" / path).is_file(), page


def test_the_reference_is_two_clicks_away(pages: dict[str, str]) -> None:
    """One in the navigation, one in the list of headings of the page."""
    config: dict[str, list] = {"nav": [{"Learners": []}]}
    learners = str(docs_reference.on_config(config)["nav"])
    for page in pages:
        assert f"'{page}'" in learners or f": {page}\n" in NAVIGATION, page


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


def test_no_page_has_figures_that_were_copied_by_hand() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        if page.parent.name == "results" or page in TRIED:
            continue
        text = page.read_text(encoding="utf-8")
        # What `python -m benchmarks.results` writes, and what blocks print.
        text = re.sub(
            r"<!-- results.*?begin -->.*?<!-- results.*?end -->", "", text, flags=re.S
        )
        text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
        assert FIGURE.findall(text) == [], page


def test_no_code_in_a_table_shows_a_backslash() -> None:
    """GitHub takes it out of code, the site does not: <code> and &#124; suit both."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for line in page.read_text(encoding="utf-8").splitlines():
            assert not (
                line.startswith("|") and re.search(r"`[^`]*\\\|[^`]*`", line)
            ), page


def test_every_component_shows_its_default_model(pages: dict[str, str]) -> None:
    for name in entry_points("spacy_factories"):
        if name != "latperc_judge":  # has no model
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


def test_mkdocs_can_load_the_hook_by_its_path() -> None:
    path = ROOT / "tools" / "docs_reference.py"
    spec = spec_from_file_location("tools/docs_reference", path)
    assert spec is not None and spec.loader is not None
    spec.loader.exec_module(module_from_spec(spec))  # relative imports fail there
