"""`--ray [ADDRESS]`, of commands that can work on a cluster."""

from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from ..distributed.cluster import HERE, RUNNING

OPTION = "--ray"

RayAddress = Annotated[
    str | None,
    typer.Option(
        OPTION,
        metavar="[ADDRESS]",
        help="Work on a cluster of Ray: one that is started on this machine, or the "
        "one at an address such as head:6379 ('auto': that of this machine)",
    ),
]


class WithRay(TyperCommand):
    """A command whose option --ray has an address behind it or none."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Name the cluster of this machine where no address follows."""
        return super().parse_args(ctx, _complete(list(args)))


def _complete(args: list[str]) -> list[str]:
    found: list[str] = []
    for place, word in enumerate(args):
        if word == "--":
            return [*found, *args[place:]]
        found.append(word)
        if word == OPTION and not _is_address(args[place + 1 : place + 2]):
            found.append(HERE)
    return found


def _is_address(words: list[str]) -> bool:
    """Return True if a word can be an address: it has a port and no path."""
    if not words:
        return False
    host, _, port = words[0].removeprefix("ray://").rpartition(":")
    return words[0] in (HERE, RUNNING) or (bool(host) and port.isdigit())
