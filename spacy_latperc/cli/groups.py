"""The help page of `spacy latperc`: its commands in groups, with one line for each."""

from typing import Any

from typer.core import TyperGroup

TRAIN, LOOK, DATA, TEXT = "Train", "Look", "Data", "Text"


class GroupedCommands(TyperGroup):
    """Commands under the titles that they name as their `rich_help_panel`.

    typer shows such titles only in its rich layout, which spaCy turns off.
    """

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the groups; overrides typer's one long list."""
        groups: dict[str, list[tuple[str, str]]] = {
            title: [] for title in (TRAIN, LOOK, DATA, TEXT)
        }
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            title = getattr(command, "rich_help_panel", None)
            if command is not None and not command.hidden:
                # A plug-in of somebody else may have a command without a title.
                title = title if isinstance(title, str) else "Other"
                groups.setdefault(title, []).append((name, one_line(command)))
        for title, rows in groups.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def one_line(command: Any) -> str:
    """The first sentence of the help of a command."""
    first = (command.help or "").strip().split("\n\n")[0]
    return " ".join(first.split())
