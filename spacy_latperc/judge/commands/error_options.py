"""Options of the commands that insert errors."""

from pathlib import Path
from typing import Annotated

import typer

from ..error_injection.kinds import KINDS

ErrorShares = Annotated[
    str,
    typer.Option(
        "--shares",
        help="Kinds of errors and their shares, such as form=0.3,small=0.2, of "
        f"{', '.join(KINDS)}",
    ),
]
ErrorPairs = Annotated[
    Path | None,
    typer.Option(
        "--fit",
        help="Errors as in these pairs: on each line an original, a tab, and its "
        "correction, tokenised",
    ),
]
