"""Arguments and options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

from ..learners.threads import MOST_THREADS

TrainedPipeline = Annotated[
    str, typer.Argument(help="Name or path of a trained pipeline")
]
WhichComponent = Annotated[
    str | None,
    typer.Option("--component", "-c", help="Which component, when there are several"),
]
Figures = Annotated[
    Path | None, typer.Option("--json", help="File for all figures", dir_okay=False)
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        min=1,
        max=MOST_THREADS,
        help="How many threads annotate; by default what the pipeline says",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress")]
