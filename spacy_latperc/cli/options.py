"""Arguments and options that several commands have."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ..io.outputs import check_target
from ..io.user_code import import_code
from ..learners.threads import MOST_THREADS
from .failures import failures_shown


def _import_code(path: Path | None) -> Path | None:
    with failures_shown():
        if path is not None:
            import_code(path)
    return path


def check_figures(path: Path | None) -> Path | None:
    """Refuse a file for figures that cannot be written, before a command begins."""
    with failures_shown():
        if path is not None:
            check_target(path, suffixes=[".json"])
    return path


# The callback imports the file before the command begins.
Code = Annotated[
    Path | None,
    typer.Option(
        "--code",
        help="Python file to import first: the functions that a config names",
        callback=_import_code,
    ),
]
TrainedPipeline = Annotated[
    str, typer.Argument(help="Name or path of a trained pipeline")
]
PipelineFolder = Annotated[Path, typer.Argument(help="Folder of a trained pipeline")]
ChangedPipeline = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="Folder for the pipeline; by default the same one"
    ),
]
HeldOut = Annotated[
    str,
    typer.Argument(
        help="Held-out data, none of it seen in training: a corpus of the config "
        "(corpora.dev), or a file that is read like it; corpora.dev by default"
    ),
]
WhichComponent = Annotated[
    str | None,
    typer.Option("--component", "-c", help="Which component, when there are several"),
]
Figures = Annotated[
    Path | None,
    typer.Option(
        "--json", help="File for all figures", dir_okay=False, callback=check_figures
    ),
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
_TEXT = (
    "One tokenised sentence on each line, plain or .gz, '-' for standard input; "
    ".jsonl; or .spacy"
)
RawText = Annotated[str, typer.Argument(help=_TEXT)]
RawTexts = Annotated[list[str], typer.Argument(metavar="TEXT...", help=_TEXT)]
OutputFile = Annotated[Path, typer.Option("--output", "-o", help="The file to write")]
Lowercase = Annotated[bool, typer.Option("--lowercase", help="Read all in lower case")]
Digits = Annotated[bool, typer.Option("--digits", help="Read every digit as 0")]
Lang = Annotated[
    str,
    typer.Option(
        "--lang",
        help="Split lines into words as spaCy does for this language, such as en",
    ),
]
TextField = Annotated[
    str, typer.Option("--field", help="The field of .jsonl with the text")
]
ColumnField = Annotated[
    str, typer.Option("--field", help="The field of JSONL or Parquet with the text")
]
Overwrite = Annotated[
    bool,
    typer.Option(
        "--overwrite", help="Start again in a folder that was written to before"
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Work on a cluster of Ray: 'here' for one on this machine alone, or an "
        "address such as head:6379 ('auto': the cluster of this machine)",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress")]


def share(default: float | None, *names: str, help: str) -> Any:
    """An option that is a number from 0 to 1."""
    return typer.Option(default, *names, min=0.0, max=1.0, help=help)


def existing_folder(name: str, help: str) -> Any:
    """An option that is a folder."""
    return typer.Option(None, name, help=help, exists=True, file_okay=False)
