"""An option of the commands that insert errors."""

from pathlib import Path
from typing import Annotated

import typer

ErrorPairs = Annotated[
    Path | None,
    typer.Option(
        "--fit",
        help="Fit the shares of errors to these pairs: on each line an original, a "
        "tab, and its correction, tokenised",
    ),
]
