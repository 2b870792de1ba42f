"""`spacy latperc explain`: what the code of a message means."""

from textwrap import fill

import typer
from wasabi import msg

from ..errors import Errors
from ..errors.explain import explain
from . import latperc_cli
from .groups import LOOK


@latperc_cli.command("explain", rich_help_panel=LOOK)
def explain_cli(
    code: str = typer.Argument(..., help="The code in brackets, such as LP104"),
) -> None:
    """
    Say what the code of an error or warning means.

    Names in braces stand for what was found: a file, a line, a setting.
    """
    found = explain(code)
    if found is None:
        typer.secho(Errors.LP680.format(code=code), fg=typer.colors.RED, err=True)
        raise typer.Exit(1)
    msg.divider(f"{found.code}, {found.kind}")
    print(fill(found.message, 78))
    print(f"\nAbout {found.topic}. In the documentation (`make docs` in a clone):")
    for page in (f"reference/errors.html#{found.code.lower()}", *found.pages):
        print(f"- {page}")
