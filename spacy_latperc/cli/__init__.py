"""`python -m spacy latperc ...`: a plug-in of spaCy's own command line."""

import typer
from spacy.cli import app

latperc_cli = typer.Typer(
    name="latperc",
    help="Latent-chain taggers, chunkers and entity recognisers.",
    no_args_is_help=True,
)
app.add_typer(latperc_cli)

# Each module registers its command, in the order of the help page.
from . import (  # noqa: E402, F401
    annotate,
    calibrate,
    compact,
    evaluate,
    filter,
    fit,
    negatives,
    repeat,
    train_grammaticality,
)
from .convert import convert_cli  # noqa: E402

latperc_cli.command("convert")(convert_cli)
