"""The help page has groups with one line for each command."""

import re

import pytest
from builders.outputs import commands
from typer.main import get_command
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.cli.groups import DATA, LOOK, TEXT, TRAIN, one_line
from spacy_latperc.errors import Errors, Warnings
from tools.messages import PAGES, messages_by_code

COMMANDS = commands()
TOP = get_command(latperc_cli).commands
CODES = {
    code for table in (Errors, Warnings) for code in dir(table) if code[:2] == "LP"
}


def run(*arguments, expect=0):
    result = CliRunner().invoke(latperc_cli, [*arguments], terminal_width=80)
    assert result.exit_code == expect, result.output
    return result.output


def test_help_shows_the_groups_in_order_and_each_command_on_one_line():
    page = run("--help")
    titles = re.findall(r"^(\w+):$", page, re.M)
    assert titles == ["Options", TRAIN, LOOK, DATA, TEXT]
    for name, command in TOP.items():
        (line,) = (x for x in page.splitlines() if x.startswith(f"  {name} "))
        assert line.endswith(one_line(command)), line


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_group_begins_as_that_of_its_command(name):
    """The help of a wing stands in the core, which imports no wing for it."""
    assert f"Usage: latperc {name} " in run(*name.split(), "--help")
    *group, last = name.split()
    (line,) = re.findall(rf"^  {last} .*", run(*group, "--help"), re.M)
    assert line.endswith(one_line(COMMANDS[name])), line


def test_messages_are_found_by_code_and_have_pages():
    assert set(messages_by_code()) == CODES
    assert "line {line}" in messages_by_code()["LP104"].text
    assert {one.kind for one in messages_by_code().values()} == {"error", "warning"}
    assert all(pages for pages in PAGES.values())
