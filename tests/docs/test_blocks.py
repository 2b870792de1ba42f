"""Every Python and console block of README and docs runs, and prints what it says.

A page runs from top to bottom in a folder of its own, which looks like a clone: it has
`assets` and `configs`. A block with a title is written as a file. In a console block,
lines that begin with "$ " are commands and the others are their output; a `text` block
right behind a Python block is what that prints. "..." stands for any output.
"""

import contextlib
import doctest
import importlib
import io
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from builders.ray_clusters import alone
from builders.warm_commands import run_python

ROOT = Path(__file__).resolve().parents[2]
# The pages of docs/dev change the package: test_worked_examples.py follows them.
PAGES = [
    ROOT / "README.md",
    *(
        page
        for page in sorted((ROOT / "docs").rglob("*.md"))
        if page.parent.name != "dev"
    ),
]
# pip builds with what is here and fetches nothing; "false" is how it wants to be told.
OFFLINE = {"PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "false", "COLUMNS": "100"}
OFFLINE["LATPERC_DATA"] = "none"  # a judge would be evaluated on all corpora in it
_FENCE = re.compile(
    r'^```(?P<kind>\w+)(?: title="(?P<title>[^"]+)")?[^\n]*\n(?P<body>.*?)^```$',
    re.MULTILINE | re.DOTALL,
)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Block:
    """A fenced block, with the line that it begins on."""

    kind: str
    title: str | None
    body: str
    line: int


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(x["kind"], x["title"], x["body"], text.count("\n", 0, x.start()) + 1)
        for x in _FENCE.finditer(text)
    ]


def runs(page: Path) -> bool:
    return any(block.kind in ("python", "console") for block in blocks_of(page))


def on_a_cluster(page: Path) -> bool:
    return "--ray" in page.read_text(encoding="utf-8")


def same_output(found: str, wanted: str) -> bool:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(wanted, found, flags)


def commands_of(body: str) -> list[tuple[str, str]]:
    """Each command of a console block with the output that stands below it."""
    commands: list[tuple[str, str]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], ""))
        else:
            command, output = commands[-1]
            commands[-1] = command, output + line + "\n"
    return commands


def run_command(command: str, folder: Path) -> str:
    """Run a command of a page as a shell would, with the Python of the tests."""
    words = shlex.split(command)
    # What a page installs goes into its own folder.
    site = str(folder / "site")
    path = os.pathsep.join([site, *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {**OFFLINE, "PIP_TARGET": site, "PYTHONPATH": path}
    if words[0] == "latperc":
        words = ["python", "-m", "spacy", *words]
    if words[0] in ("python", "python3"):
        done = run_python(words[1:], folder, env)
    else:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    importlib.invalidate_caches()  # a block may import what was installed
    return _COLOUR.sub("", done.stdout)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like a fresh clone, in which a page runs."""
    for name in ("assets", "configs"):
        (tmp_path / name).symlink_to(ROOT / name, target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return tmp_path


@pytest.fixture
def cluster_of_page(
    page: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[None]:
    """One cluster of Ray for all that a page does with --ray."""
    if not on_a_cluster(page):
        yield
        return
    from builders.ray_nodes import local_nodes

    with alone(tmp_path_factory), local_nodes(connect=False) as cluster:
        monkeypatch.setenv("RAY_ADDRESS", cluster.address)
        yield


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.ray] if on_a_cluster(page) else [])
        for page in PAGES
        if runs(page)
    ],
    ids=lambda p: str(p.relative_to(ROOT)),
)
@pytest.mark.usefixtures("cluster_of_page")
def test_blocks_run(page: Path, clone: Path) -> None:
    namespace: dict[str, object] = {"__name__": "__page__"}
    printed: str | None = None
    for block in blocks_of(page):
        place = f"{page.name}, line {block.line}"
        expected, printed = printed, None
        if block.title and not block.title.startswith("assets/"):
            (clone / block.title).write_text(block.body, encoding="utf-8")
        elif block.kind == "console":
            for command, wanted in commands_of(block.body):
                found = run_command(command, clone)
                assert same_output(found, wanted), f"{place}: {command}\n{found}"
        elif block.kind == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(block.body, place, "exec"), namespace)
            printed = output.getvalue()
        elif block.kind == "text" and not block.title and expected is not None:
            assert same_output(expected, block.body), f"{place}:\n{expected}"
