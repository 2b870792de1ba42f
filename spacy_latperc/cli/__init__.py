"""`python -m spacy latperc ...`: a plug-in of spaCy's own command line."""

import typer
from spacy.cli import app

latperc_cli = typer.Typer(
    name="latperc",
    help="Latent-chain taggers, chunkers and entity recognisers.",
    no_args_is_help=True,
)
app.add_typer(latperc_cli)

from . import fit  # noqa: E402
