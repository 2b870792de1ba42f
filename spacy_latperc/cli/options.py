"""Arguments and options that several commands have."""

from typing import Annotated

import typer

TrainedPipeline = Annotated[
    str, typer.Argument(help="Name or path of a trained pipeline")
]
WhichComponent = Annotated[
    str | None,
    typer.Option("--component", "-c", help="Which component, when there are several"),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress")]
