"""`python -m benchmarks.results`: measure what is published, and write the pages."""

import typer
from wasabi import msg

from .pages import write_pages
from .papers import chosen_rows, run_rows
from .run import run_grid


def main(
    only: str = typer.Option(
        "", "--only", help="Names by commas; papers: pages, tables and rows of them"
    ),
    slow: bool = typer.Option(False, "--slow", help="Also what takes many minutes"),
    again: bool = typer.Option(False, "--again", help="Also the papers' rows there"),
    pages: bool = typer.Option(False, "--pages", help="Only write the pages anew"),
) -> None:
    """
    Run the grid of results (results/*.json) and write docs/results and the table of
    the README from it. Nothing in those pages is written by hand.
    """
    try:
        if not pages:
            names = [name.strip() for name in only.split(",") if name.strip()]
            tables = [x for x in names or ["papers"] if chosen_rows([x], slow=True)]
            if tables:
                run_rows(tables, slow=slow, again=again, progress=msg.text)
            if not names or len(tables) < len(names):
                rest = [name for name in names if name not in tables]
                run_grid(rest, slow=slow, progress=msg.text)
    except (ValueError, RuntimeError) as error:
        msg.fail(str(error), exits=1)
    for path in write_pages():
        msg.good(f"Wrote {path}")


if __name__ == "__main__":
    typer.run(main)
