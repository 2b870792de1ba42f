"""`spacy latperc filter`: the good sentences of a text of any size."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import typer

from ..distributed.cluster import ray_cluster
from ..distributed.filtering import filter_on_cluster
from ..distributed.output import Output
from ..errors import Errors, Warnings
from ..grammaticality.component import LatpercGrammaticality
from ..grammaticality.filter.files import (
    FORMATS,
    Layout,
    TextFile,
    find_files,
    is_several,
)
from ..grammaticality.filter.run import (
    RECORD,
    Choice,
    Record,
    Tally,
    check_folder,
    checksum,
    filter_file,
    filter_files,
)
from ..grammaticality.filter.sample import SAMPLE, find_threshold
from ..grammaticality.filter.scores import Scorers, ScoringSettings, find_component
from ..grammaticality.filter.verdicts import REASONS_FIELD, SCORE_FIELD, Columns
from ..io.atomic import check_target
from ..io.packed import STDIN
from ..io.pipelines import load_pipeline
from ..io.places import is_url
from ..io.progress import progress_bar
from . import latperc_cli
from .failures import failures_shown
from .groups import TEXT
from .options import ColumnField, Overwrite, TrainedPipeline, WhichComponent, share
from .ray_option import RayAddress, WithRay

MUCH = 1 / 3  # left out: probably not what was wanted


@latperc_cli.command("filter", cls=WithRay, rich_help_panel=TEXT)
def filter_cli(
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
    keep: float | None = share(
        None,
        "--keep",
        help="Choose a threshold that keeps this share of the lines, such as 0.9",
    ),
    sample: int = typer.Option(
        SAMPLE, "--sample", min=0, help="Lines that --keep looks at; 0 for all"
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
) -> None:
    """
    Keep the good sentences of a text.

    Good are those that a pipeline with latperc_grammaticality finds probable enough.

    With --documents each line is a text of several sentences.

    Lines stay as they are and in order; memory does not grow with the text. Empty lines
    are left out. What is written gets its name when it is complete. With many
    files the same command goes on after an interruption: what is there stays. With
    --ray a cluster does the same work.
    """
    start = perf_counter()
    with failures_shown(), ExitStack() as opened:
        _refuse_pairs(threshold, keep, documents)
        columns = Columns(scores, reasons)
        layout = Layout(format, field, skip_bad, columns)
        _refuse_places(sources, target, ray)
        several = is_several(sources)
        folder = check_folder(target) if several else None
        if several:
            assert folder is not None
            files = find_files(sources, folder)
        else:
            files = [TextFile(sources[0], Path(sources[0]).name)]
            if keep is not None and sources[0] == STDIN:
                raise ValueError(Errors.LP487.format(option="--keep"))
            if target != STDIN:
                check_target(Path(target), sources=sources)
        # Its workers begin to start while the pipeline is loaded here.
        cluster = opened.enter_context(ray_cluster(ray)) if ray else None
        nlp = load_pipeline(model)
        pipe = find_component(nlp, component)
        settings = ScoringSettings(
            model, component, tokenised, processes or 1, documents, threshold, reasons
        )
        record = None
        if folder is not None:
            said = _settings(pipe, settings, layout, keep, sample, below, bad_share)
            record = Record(folder / RECORD, said)
            record.read(overwrite=overwrite)
        threshold, found = _threshold(
            pipe, settings, layout, files, keep, sample, record
        )
        if found and not quiet:
            typer.echo(
                f"The threshold {threshold:.4f} keeps {keep:.0%} of {found:,} lines",
                err=True,
            )
        settings = replace(settings, threshold=threshold)
        choice = Choice(1 - bad_share if documents else threshold, below)
        shown = None if quiet else _show_file
        unit = "documents" if documents else "lines"
        told = opened.enter_context(progress_bar(unit, quiet=quiet))
        if cluster:
            output = Output(
                lambda file: str(folder / file.name) if folder else target,
                record,
                skip_bad,
                told,
                shown,
            )
            work = (settings, choice, layout)
            tally = filter_on_cluster(
                cluster, nlp, files, output, *work, workers=processes
            )
        elif record is None:
            scorers = opened.enter_context(Scorers(settings))
            tally = filter_file(
                sources[0], target, scorers, choice, layout, progress=told
            )
        else:
            scorers = opened.enter_context(Scorers(settings))
            tally = filter_files(
                files,
                record.path.parent,
                scorers,
                choice,
                layout,
                record,
                progress=told,
                told=shown,
            )
    if not quiet:
        name = "standard input" if sources[0] == STDIN else sources[0]
        name = target if several else name
        _show(tally, name, threshold, choice, documents, keep, perf_counter() - start)


def _refuse_places(sources: Sequence[str], target: str, ray: str | None) -> None:
    if ray is not None and STDIN in sources:
        raise ValueError(Errors.LP827)
    if is_url(target):
        raise ValueError(Errors.LP484.format(target=target, problem="a URL"))


def _refuse_pairs(threshold: float | None, keep: float | None, documents: bool) -> None:
    pair = {"first": "--keep"}
    if keep is not None and threshold is not None:
        advice = "Give one of them."
        raise ValueError(
            Errors.LP488.format(**pair, second="--threshold", advice=advice)
        )
    if keep is not None and documents:
        advice = "Choose how many bad sentences a document may have: --bad-share."
        raise ValueError(
            Errors.LP488.format(**pair, second="--documents", advice=advice)
        )


def _settings(
    pipe: LatpercGrammaticality,
    settings: ScoringSettings,
    layout: Layout,
    keep: float | None,
    sample: int,
    below: bool,
    bad_share: float,
) -> dict[str, Any]:
    """All that decides what is written; a folder is gone on with under the same."""
    threshold = pipe.threshold if settings.threshold is None else settings.threshold
    return {
        "model": checksum(pipe.to_bytes(exclude=["vocab"])),
        "tokenised": settings.tokenised,
        "documents": settings.documents,
        "bad share": bad_share if settings.documents else None,
        "threshold": threshold if keep is None else None,
        "keep": keep,
        "sample": sample if keep is not None else None,
        "below": below,
        "format": layout.format,
        "field": layout.field,
        "scores": layout.columns.scores,
        "reasons": layout.columns.reasons,
    }


def _threshold(
    pipe: LatpercGrammaticality,
    settings: ScoringSettings,
    layout: Layout,
    files: Sequence[TextFile],
    keep: float | None,
    sample: int,
    record: Record | None,
) -> tuple[float, int]:
    """The threshold, and how many lines it was found on: 0 if it was given."""
    if keep is None:
        given = settings.threshold
        return (pipe.threshold if given is None else given), 0
    if record is not None and record.threshold is not None:
        return record.threshold, 0
    with Scorers(replace(settings, reasons=False)) as scorers:
        paths = [file.path for file in files]
        found, n = find_threshold(paths, scorers, layout, keep=keep, sample=sample)
    if record is not None:
        record.threshold = found
    return found, n


def _show_file(file: TextFile, tally: Tally, before: bool) -> None:
    if tally.unread:
        said = f"left out. {tally.unread}"
    else:
        said = f"kept {tally.kept:,} of {tally.scored:,}"
    typer.echo(f"{file.name}: {said}{' (before)' if before else ''}", err=True)


def _show(
    tally: Tally,
    name: str,
    threshold: float,
    choice: Choice,
    documents: bool,
    keep: float | None,
    seconds: float,
) -> None:
    if not tally.scored:
        typer.echo(Errors.LP345.format(path=name, lines=tally.lines), err=True)
    part = tally.kept / max(tally.scored, 1)
    what = "documents" if documents else "lines"
    if documents:
        side = "above" if choice.below else "at or below"
        rule = f"with {side} {1 - choice.least:.0%} bad sentences"
    else:
        rule = f"{'below' if choice.below else 'at or above'} {threshold:g}"
    typer.echo(
        f"Kept {tally.kept:,} of {tally.scored:,} {what} ({part:.1%}) {rule}, "
        f"{tally.scored / seconds:,.0f} a second",
        err=True,
    )
    if tally.empty:
        typer.echo(f"Left out {tally.empty:,} empty line(s)", err=True)
    if tally.bad:
        typer.echo(f"Left out {tally.bad:,} bad line(s); {tally.first_bad}", err=True)
    chosen = choice.below or keep is not None or not tally.scored
    if not chosen and part < 1 - MUCH:
        typer.echo(Warnings.LP980.format(share=1 - part), err=True)
