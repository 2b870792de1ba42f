"""`python -m spacy latperc ...`: a plug-in of spaCy's own command line."""

import typer
from spacy.cli import app

from .groups import DATA, TEXT, GroupedCommands, add_wing_command


def _group(name: str, help: str, epilog: str | None = None) -> typer.Typer:
    return typer.Typer(
        name=name,
        help=help,
        epilog=epilog,
        no_args_is_help=True,
        cls=GroupedCommands,
        rich_markup_mode=None,  # as spaCy's own
        add_completion=False,
    )


latperc_cli = _group(
    "latperc",
    "Train taggers, chunkers, entity recognisers and parsers, and use them.",
    "`latperc` and `python -m spacy latperc` are the same. COMMAND --help shows the "
    "options of a command.",
)
knowledge_cli = _group("knowledge", "Learn features from raw text.")
judge_cli = _group("judge", "Train and evaluate grammaticality judges.")
app.add_typer(latperc_cli)
latperc_cli.add_typer(knowledge_cli, rich_help_panel=TEXT)
latperc_cli.add_typer(judge_cli, rich_help_panel=TEXT)

# Each module registers its command, in the order of the help page.
from . import (  # noqa: E402, F401, I001
    fit_command,
    compare,
    calibrate,
    compact_command,
    evaluate,
    inspect_command,
    suggest_command,
    annotate,
    knowledge_clusters,
    knowledge_encoder,
    knowledge_vectors,
    judge_negatives,
)
from .convert import convert_cli  # noqa: E402

latperc_cli.command("convert", rich_help_panel=DATA)(convert_cli)
WING_COMMANDS = (
    ("filter", "filter_text", "Keep the good sentences of a text."),
    ("knowledge ngrams", "knowledge_ngrams", "Count the n-grams of raw text."),
    ("knowledge contexts", "knowledge_contexts", "Train a context model on raw text."),
    ("judge train", "judge_train", "Train a grammaticality judge on raw text."),
    ("judge evaluate", "judge_evaluate", "Evaluate a grammaticality judge."),
    ("judge corrupt", "judge_corrupt", "Insert realistic errors into clean sentences."),
    (
        "judge recalibrate",
        "judge_recalibrate",
        "Adapt the threshold to clean text from a new domain.",
    ),
)
GROUPS = {"": latperc_cli, "knowledge": knowledge_cli, "judge": judge_cli}


def main() -> None:
    """The console script `latperc`, the same as `python -m spacy latperc`."""
    latperc_cli(prog_name="latperc")


for name, module, help in WING_COMMANDS:
    group, _, last = name.rpartition(" ")
    place = f"judge.commands.{module}"
    add_wing_command(GROUPS[group], last, place, help, None if group else TEXT)
