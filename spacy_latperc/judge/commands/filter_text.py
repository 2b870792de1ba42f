"""`spacy latperc filter`."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import typer
from spacy.language import Language

from ...cli.failures import failures_shown
from ...cli.options import (
    Code,
    ColumnField,
    Overwrite,
    TrainedPipeline,
    WhichComponent,
    share,
)
from ...cli.ray_option import RayAddress, WithRay
from ...cli.wings import wing_app
from ...distributed.cluster import ray_cluster
from ...distributed.files import run_on_ray
from ...errors import Errors, Warnings
from ...io.lines import name_of
from ...io.outputs import check_target
from ...io.packed import STDIN
from ...io.pipelines import load_pipeline
from ...io.places import is_url
from ...io.progress import progress_bar
from ...text.folders import (
    Record,
    check_folder,
    checksum,
    run_here,
    work_on_file,
    work_on_folder,
)
from ...text.reader import Tally
from ...text.sources import (
    FORMATS,
    Layout,
    TextFile,
    find_files,
    format_of,
    is_several,
)
from ..filter.run import Choice, FileFilter
from ..filter.scores import Scorers, ScoringSettings, find_component
from ..filter.verdicts import REASONS_FIELD, SCORE_FIELD, Columns

RECORD = "filter.json"
MUCH = 1 / 3  # left out: probably not what was wanted


# The suffixes that an output of each format may have.
_SUFFIXES = {
    "text": (".txt", ".tsv", ".csv"),
    "jsonl": (".jsonl",),
    "parquet": (".parquet",),
}


app = wing_app()


@app.command("filter", cls=WithRay)
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
        help="The file for what is kept, packed as its name ends (.gz, .xz, .bz2, "
        ".zst), or '-' for standard output; the folder, if several files are read",
    ),
    threshold: float | None = share(
        None,
        "--threshold",
        "-t",
        help="Probability from which a line is kept; by default that of the component",
    ),
    below: bool = typer.Option(False, "--below", help="Keep the bad lines instead"),
    documents: bool = typer.Option(
        False,
        "--documents",
        help="Each line, JSON object or row is a document of several sentences",
    ),
    bad_share: float = share(
        0.5,
        "--bad-share",
        help="Documents are kept if no larger share of their sentences is bad",
    ),
    format: str | None = typer.Option(
        None,
        help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}; by default by the name of "
        "the file",
    ),
    field: ColumnField = "text",
    scores: bool = typer.Option(
        False,
        "--scores",
        help="Write the score too: before the line and a tab, or as the field "
        f"'{SCORE_FIELD}'",
    ),
    reasons: bool = typer.Option(
        False,
        "--reasons",
        help="Write what speaks against a bad text too: its worst words, or the bad "
        f"sentences of a document; as the field '{REASONS_FIELD}' of JSONL and Parquet",
    ),
    tokenised: bool = typer.Option(
        False, "--tokenised", help="Words lie between spaces: no tokenizer is needed"
    ),
    component: WhichComponent = None,
    processes: int = typer.Option(
        None,
        "--processes",
        "-p",
        min=1,
        help="How many processes work: 1, or with --ray one for each core",
    ),
    ray: RayAddress = None,
    skip_bad: bool = typer.Option(
        False,
        "--skip-bad",
        help="Leave out lines that are not UTF-8 or JSON, or have control characters, "
        "and files that cannot be read; otherwise the first of them stops the run",
    ),
    overwrite: Overwrite = False,
    quiet: bool = typer.Option(False, "--quiet", "-q", help="No progress, no summary"),
    code: Code = None,
) -> None:
    """Keep the good sentences of a text.

    Good are those that a pipeline with latperc_grammaticality finds probable enough.

    With --documents each line is a text of several sentences.

    Lines stay as they are and in order; memory does not grow with the text. Empty lines
    are left out. What is written gets its name when it is complete. With many
    files the same command goes on after an interruption: what is there stays. With
    --ray a cluster does the same work.
    """
    start = perf_counter()
    with failures_shown(), ExitStack() as opened:
        layout = Layout(format, field, skip_bad)
        columns = Columns(scores, reasons)
        _refuse_places(sources, target, ray)
        several = is_several(sources)
        if several:
            path = check_folder(target, RECORD)
            files = find_files(sources, path)
        elif target != STDIN:
            suffixes = _SUFFIXES[layout.format or format_of(sources[0])]
            check_target(Path(target), sources=sources, suffixes=suffixes)
        # Its workers begin to start while the pipeline is loaded here.
        cluster = opened.enter_context(ray_cluster(ray)) if ray else None
        nlp = load_pipeline(model)
        pipe = find_component(nlp, component)
        threshold = pipe.threshold if threshold is None else threshold
        settings = ScoringSettings(
            model, component, tokenised, processes or 1, documents, threshold, reasons
        )
        choice = Choice(1 - bad_share if documents else threshold, below)
        unit = "documents" if documents else "lines"
        told = opened.enter_context(progress_bar(unit, quiet=quiet))
        make = partial(
            _file_filter,
            settings=replace(settings, processes=1),
            choice=choice,
            layout=layout,
            columns=columns,
        )
        if cluster:
            run = run_on_ray(cluster, nlp, make, workers=processes, progress=told)
        else:
            scorers = opened.enter_context(Scorers(settings))
            run = run_here(FileFilter(scorers, choice, layout, columns, told))
        if several:
            said = {
                "model": checksum(pipe.to_bytes(exclude=["vocab"])),
                "tokenised": tokenised,
                "documents": documents,
                "bad share": bad_share if documents else None,
                "threshold": threshold,
                "below": below,
                "format": format,
                "field": field,
                "scores": scores,
                "reasons": reasons,
            }
            record = Record(path, said)
            record.read(overwrite=overwrite)
            shown = None if quiet else _show_file
            tally = work_on_folder(files, record, run, skip_bad=skip_bad, told=shown)
        else:
            tally = work_on_file(sources[0], target, run)
    if not quiet:
        name = target if several else name_of(sources[0])
        _show(tally, name, choice, documents, perf_counter() - start)


def _file_filter(
    load: Callable[[], Language], settings: ScoringSettings, **others: Any
) -> FileFilter:
    scorers = Scorers(settings, load)
    return FileFilter(scorers.__enter__(), **others)


def _refuse_places(sources: Sequence[str], target: str, ray: str | None) -> None:
    if ray is not None and STDIN in sources:
        raise ValueError(Errors.LP489)
    if is_url(target):
        raise ValueError(Errors.LP484.format(target=target, problem="a URL"))


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
    what = "documents" if documents else "lines"
    if documents:
        side = "above" if choice.below else "at or below"
        rule = f"with {side} {1 - choice.least:.0%} bad sentences"
    else:
        rule = f"{'below' if choice.below else 'at or above'} {choice.least:g}"
    typer.echo(
        f"Kept {tally.kept:,} of {tally.scored:,} {what} ({part:.1%}) {rule}, "
        f"{tally.scored / seconds:,.0f} a second",
        err=True,
    )
    if tally.empty:
        typer.echo(f"Empty lines left out: {tally.empty:,}", err=True)
    if tally.bad:
        said = f"Bad lines left out: {tally.bad:,}. The first: {tally.first_bad}"
        typer.echo(said, err=True)
    if tally.scored and not choice.below and part < 1 - MUCH:
        typer.echo(Warnings.LP980.format(share=1 - part), err=True)
