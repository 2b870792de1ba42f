"""The help page of `spacy latperc`: its commands in groups, with one line for each.

The modules of commands of a wing are imported on first use.
"""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from ..errors import Errors


class WingCommand(TyperCommand):
    """A name and a line of help in place of a command that is not imported yet."""

    module = ""

    def load(self) -> Any:
        """Import the command, or end with a message if its wing is not installed."""
        wing = ".".join(self.module.split(".")[:2])
        try:
            module = import_module(self.module)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{error.name}.".startswith(f"{wing}."):
                raise
            message = Errors.LP329.format(command=self.name, wing=wing)
            typer.secho(message, fg=typer.colors.RED, err=True)
            raise typer.Exit(1) from error
        return get_command(module.app)


def wing_app() -> typer.Typer:
    """The `app` of a module in a wing, for the one command that the module has."""
    return typer.Typer(add_completion=False, rich_markup_mode=None)


def add_wing_command(
    group: typer.Typer, name: str, module: str, help: str, panel: str | None = None
) -> None:
    """Add a command of a wing to a group."""
    place = f"spacy_latperc.{module}"
    later = type(WingCommand.__name__, (WingCommand,), {"module": place})
    group.command(name, cls=later, help=help, rich_help_panel=panel)(lambda: None)


TRAIN, LOOK, DATA, TEXT = "Train", "Look", "Data", "Text"
UNTITLED = "Commands"


class GroupedCommands(TyperGroup):
    """Commands under the titles that they name as their `rich_help_panel`.

    typer shows such titles only in its rich layout, which spaCy turns off.
    """

    def get_command(self, ctx: Any, name: str) -> Any:
        """Find a command; overrides typer's, which knows nothing of wings."""
        command = super().get_command(ctx, name)
        return command.load() if isinstance(command, WingCommand) else command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the groups; overrides typer's one long list."""
        groups: dict[str, list[tuple[str, str]]] = {
            title: [] for title in (TRAIN, LOOK, DATA, TEXT)
        }
        # Not by `get_command`, which imports the wings.
        for name, command in self.commands.items():
            title = getattr(command, "rich_help_panel", None)
            if not command.hidden:
                title = title if isinstance(title, str) else UNTITLED
                groups.setdefault(title, []).append((name, one_line(command)))
        for title, rows in groups.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def one_line(command: Any) -> str:
    """The first sentence of the help of a command."""
    first = (command.help or "").strip().split("\n\n")[0]
    return " ".join(first.split())
