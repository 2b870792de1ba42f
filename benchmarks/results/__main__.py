"""`python -m benchmarks.results`: measure what is published, and write the pages."""

import typer
from wasabi import msg

from .pages import write_pages
from .run import run_grid


def main(
    only: str = typer.Option("", "--only", help="Names, separated by commas"),
    slow: bool = typer.Option(False, "--slow", help="Also what takes many minutes"),
    pages: bool = typer.Option(False, "--pages", help="Only write the pages anew"),
) -> None:
    """
    Run the grid of results (results/*.json) and write docs/results and the table of
    the README from it. Nothing in those pages is written by hand.
    """
    try:
        if not pages:
            names = [name.strip() for name in only.split(",") if name.strip()]
            run_grid(names, slow=slow, progress=msg.text)
    except (ValueError, RuntimeError) as error:
        msg.fail(str(error), exits=1)
    for path in write_pages():
        msg.good(f"Wrote {path}")


if __name__ == "__main__":
    typer.run(main)
