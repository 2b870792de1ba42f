"""The help page of `spacy latperc`: its commands in groups, with one line for each."""

from typing import Any

from typer.core import TyperGroup

from .wings import WingCommand

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
