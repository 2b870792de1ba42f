"""`python -m spacy latperc ...`: a plug-in of spaCy's own command line."""

import typer
from spacy.cli import app

from .groups import DATA, GroupedCommands

latperc_cli = typer.Typer(
    name="latperc",
    help="Train taggers, chunkers, entity recognisers and parsers, and use them.",
    epilog="python -m spacy latperc COMMAND --help shows the options of a command.",
    no_args_is_help=True,
    cls=GroupedCommands,
    rich_markup_mode=None,  # as spaCy's own
)
app.add_typer(latperc_cli)

# Each module registers its command, in the order of the help page.
from . import (  # noqa: E402, F401, I001
    fit,
    compare,
    jackknife,
    calibrate,
    recalibrate,
    compact,
    evaluate,
    annotate,
    cluster,
    ngrams,
    contexts,
    negatives,
    corrupt,
    train_grammaticality,
    filter,
    judge,
    judge_report,
)
from .convert import convert_cli  # noqa: E402

latperc_cli.command("convert", rich_help_panel=DATA)(convert_cli)
