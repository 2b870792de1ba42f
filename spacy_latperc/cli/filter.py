"""`spacy latperc filter`: the good sentences of a text of any size."""

from pathlib import Path
from time import perf_counter

import typer

from ..errors import Errors
from ..grammaticality.filter.lines import FORMATS, SCORE_FIELD, LineReader
from ..grammaticality.filter.run import filter_file
from ..grammaticality.filter.scores import ScoringSettings, find_component
from ..io.atomic import check_target
from ..io.packed import STDIN
from ..io.pipelines import load_pipeline
from ..io.progress import progress_bar
from . import latperc_cli
from .failures import failures_shown
from .groups import TEXT
from .options import TrainedPipeline, WhichComponent


@latperc_cli.command("filter", rich_help_panel=TEXT)
def filter_cli(
    model: TrainedPipeline,
    source: str = typer.Argument(
        ..., help="One sentence on each line; plain or .gz, '-' for standard input"
    ),
    target: str = typer.Argument(
        ..., help="For the lines that are kept; .gz packs it, '-' is standard output"
    ),
    threshold: float | None = typer.Option(
        None,
        "--threshold",
        "-t",
        min=0.0,
        max=1.0,
        help="Probability from which a line is kept; by default that of the component",
    ),
    below: bool = typer.Option(False, "--below", help="Keep the bad lines instead"),
    format: str | None = typer.Option(
        None, help=f"{' or '.join(FORMATS)}; by default by the name of the file"
    ),
    field: str = typer.Option("text", help="The field of JSONL to score"),
    scores: bool = typer.Option(
        False,
        "--scores",
        help="Write the probability too: as first column before a tab, or in the field "
        f"'{SCORE_FIELD}' of JSONL",
    ),
    tokenised: bool = typer.Option(
        False, "--tokenised", help="Words lie between spaces: no tokenizer is needed"
    ),
    component: WhichComponent = None,
    processes: int = typer.Option(
        1, "--processes", "-p", min=1, help="How many processes work"
    ),
    skip_bad: bool = typer.Option(
        False,
        "--skip-bad",
        help="Leave out lines that are not UTF-8 or JSON, or have control characters; "
        "otherwise the first of them stops the run",
    ),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="No progress, no summary"),
) -> None:
    """
    Keep the good sentences of a text.

    Good are those that a pipeline with latperc_grammaticality finds probable enough.

    Lines stay as they are and in order; memory does not grow with the text. Empty lines
    are left out. What is written gets its name when it is complete.
    """
    start = perf_counter()
    settings = ScoringSettings(model, component, tokenised, processes)
    with failures_shown():
        if target != STDIN:
            check_target(Path(target))
        nlp = load_pipeline(model)
        if threshold is None:
            threshold = find_component(nlp, component).threshold
        else:
            find_component(nlp, component)
        reader = LineReader(
            source,
            format=format or _format_of(source),
            field=field,
            skip_bad=skip_bad,
        )
        with progress_bar("lines", quiet=quiet) as told:
            tally = filter_file(
                reader,
                target,
                settings,
                threshold=threshold,
                below=below,
                with_scores=scores,
                progress=told,
            )
    if quiet:
        return
    seconds = perf_counter() - start
    if not tally.scored:
        typer.echo(Errors.LP345.format(path=reader.name, lines=reader.lines), err=True)
    share = tally.kept / max(tally.scored, 1)
    side = "below" if below else "at or above"
    typer.echo(
        f"Kept {tally.kept:,} of {tally.scored:,} lines ({share:.1%}) {side} "
        f"{threshold:g}, {tally.scored / seconds:,.0f} a second",
        err=True,
    )
    if reader.empty:
        typer.echo(f"Left out {reader.empty:,} empty line(s)", err=True)
    if reader.bad:
        typer.echo(f"Left out {reader.bad:,} bad line(s); {reader.first_bad}", err=True)


def _format_of(path: str) -> str:
    return "jsonl" if path.removesuffix(".gz").endswith(".jsonl") else "text"
