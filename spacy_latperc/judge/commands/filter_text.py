"""`spacy latperc filter`."""

from contextlib import ExitStack
from functools import partial
from time import perf_counter

import typer

from ...cli.failures import failures_shown
from ...cli.groups import wing_app
from ...cli.options import (
    Code,
    ColumnField,
    Overwrite,
    RayAddress,
    TrainedPipeline,
    share,
)
from ...distributed.cluster import ray_cluster
from ...distributed.file_tasks import run_on_ray
from ...errors import Errors, Warnings
from ...io.lines import name_of
from ...io.packed import STDIN
from ...text.input_files import TextFile
from ...text.reader import Tally
from ..filter.filter_files import filter_files
from ..filter.filter_lines import REASONS_FIELD, SCORE_FIELD, Choice

MUCH = 1 / 3  # of the lines left out: probably not what was wanted


app = wing_app()


@app.command("filter")
def filter_text_cli(
    model: TrainedPipeline,
    sources: list[str] = typer.Argument(
        ...,
        metavar="TEXT...",
        help="Files with a sentence on each line, folders, patterns such as "
        "'data/*.gz', URLs such as s3://bucket/folder; '-' for standard input",
    ),
    target: str = typer.Argument(
        ...,
        help="The output file, compressed by its suffix (.gz, .xz, .bz2, .zst), or '-' "
        "for standard output; a folder if there are several files",
    ),
    threshold: float | None = share(
        None,
        "--threshold",
        "-t",
        help="The lowest score that is kept; by default the threshold of the "
        "component, and for documents 0.5",
    ),
    below: bool = typer.Option(False, "--below", help="Keep the bad lines instead"),
    documents: bool = typer.Option(
        False,
        "--documents",
        help="Each line, JSON object or row has several sentences. Its score is the "
        "share of good ones",
    ),
    field: ColumnField = "text",
    scores: bool = typer.Option(
        False,
        "--scores",
        help="Also write the score: before the line and a tab, or as the field "
        f"'{SCORE_FIELD}'",
    ),
    reasons: bool = typer.Option(
        False,
        "--reasons",
        help="Also write the worst words of a bad text, or the bad sentences of a "
        f"document; as the field '{REASONS_FIELD}' of JSONL and Parquet",
    ),
    bad_share: float = typer.Option(
        None,
        help="The share of bad sentences in the text, which the probabilities of a "
        "judge then assume; the same sentences pass",
    ),
    tokenised: bool = typer.Option(
        False, "--tokenised", help="Words are separated by spaces"
    ),
    processes: int = typer.Option(
        None,
        "--processes",
        "-p",
        min=1,
        help="The number of processes: by default 1, with --ray one for each core",
    ),
    ray: RayAddress = None,
    skip_bad: bool = typer.Option(
        False,
        "--skip-bad",
        help="Skip lines that are not UTF-8 or JSON or have control characters, and "
        "files that cannot be read. Otherwise the first of them stops the run",
    ),
    overwrite: Overwrite = False,
    quiet: bool = typer.Option(False, "--quiet", "-q", help="No progress, no summary"),
    code: Code = None,
) -> None:
    """Keep the good sentences of a text.

    A sentence is good if a judge scores it above its threshold.

    Lines and their order stay unchanged, and memory does not grow with the text. Empty
    lines are left out. Outputs get their names when they are complete. With several
    files, the same command resumes after an interruption.
    """
    start = perf_counter()
    with failures_shown(), ExitStack() as opened:
        if ray is not None and STDIN in sources:
            raise ValueError(Errors.LP489)
        cluster = None
        if ray:
            connected = opened.enter_context(ray_cluster(ray))
            cluster = partial(run_on_ray, connected, workers=processes)
        tally, choice = filter_files(
            model,
            sources,
            target,
            threshold=threshold,
            below=below,
            documents=documents,
            field=field,
            scores=scores,
            reasons=reasons,
            tokenised=tokenised,
            bad_share=bad_share,
            processes=processes or 1,
            skip_bad=skip_bad,
            overwrite=overwrite,
            told=None if quiet else _show_file,
            quiet=quiet,
            cluster=cluster,
        )
    if not quiet:
        name = name_of(sources[0]) if len(sources) == 1 else target
        _show(tally, name, choice, documents, perf_counter() - start)


def _show_file(file: TextFile, tally: Tally, before: bool) -> None:
    if tally.unread:
        said = f"left out. {tally.unread}"
    else:
        said = f"kept {tally.kept:,} of {tally.scored:,}"
    typer.echo(f"{file.name}: {said}{' (before)' if before else ''}", err=True)


def _show(
    tally: Tally, name: str, choice: Choice, documents: bool, seconds: float
) -> None:
    if not tally.scored:
        typer.echo(Errors.LP405.format(path=name, lines=tally.lines), err=True)
    part = tally.kept / max(tally.scored, 1)
    unit = "documents" if documents else "lines"
    side = "below" if choice.below else "at or above"
    # Of few lines, it would say how long the model takes to load.
    rate = f", {tally.scored / seconds:,.0f} a second" if tally.scored > 1000 else ""
    typer.echo(
        f"Kept {tally.kept:,} of {tally.scored:,} {unit} ({part:.1%}) {side} "
        f"{choice.least:g}{rate}",
        err=True,
    )
    if tally.empty:
        typer.echo(f"Empty lines left out: {tally.empty:,}", err=True)
    if tally.bad:
        said = f"Bad lines left out: {tally.bad:,}. The first: {tally.first_bad}"
        typer.echo(said, err=True)
    if tally.scored and not choice.below and part < 1 - MUCH:
        typer.echo(Warnings.LP980.format(share=1 - part), err=True)
