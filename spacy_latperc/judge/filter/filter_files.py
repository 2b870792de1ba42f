"""Filtering files: one file, or a folder with a record of what is done."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from spacy.language import Language

from ...errors import Errors
from ...io.outputs import check_target
from ...io.packed import STDIN
from ...io.places import is_url
from ...text.folders import (
    Record,
    Run,
    Told,
    check_folder,
    checksum,
    run_here,
    work_on_file,
    work_on_folder,
)
from ...text.input_files import Layout, TextFile, find_files, format_of, is_several
from ...text.reader import Tally
from .filter_lines import Choice, Columns, FileFilter
from .filter_progress import Progress
from .filter_scores import ScoringSettings, find_component, load_scorer
from .processes import Scorers

RECORD = "filter.json"
GOOD_SHARE = 0.5  # of the sentences of a document
# The suffixes that an output of each format may have.
_SUFFIXES = {
    "text": (".txt", ".tsv", ".csv"),
    "jsonl": (".jsonl",),
    "parquet": (".parquet",),
}
# Creates what runs the work, like `run_on_ray`.
Cluster = Callable[..., Run]


def filter_files(
    model: str,
    sources: Sequence[str],
    target: str,
    *,
    threshold: float | None = None,
    below: bool = False,
    documents: bool = False,
    field: str = "text",
    scores: bool = False,
    reasons: bool = False,
    tokenised: bool = False,
    bad_share: float | None = None,
    processes: int = 1,
    skip_bad: bool = False,
    overwrite: bool = False,
    told: Told | None = None,
    quiet: bool = True,
    cluster: Cluster | None = None,
) -> tuple[Tally, Choice]:
    """Write the good lines of files to a file, or to a folder if there are several.

    Args:
        model: The name or path of the pipeline, or an n-gram model (ARPA).
        sources: Files, folders, patterns and URLs; "-" for standard input.
        target: The output file or folder; "-" for standard output.
        threshold: The lowest score that is kept; by default the threshold of the
            component. The score of a document is the share of its good sentences, by
            default at least half.
        below: Keep the texts with lower scores instead.
        documents: True if each line is a document of several sentences.
        field: The field of JSONL or Parquet with the text.
        scores: Write the scores too.
        reasons: Write the reasons of low scores too.
        tokenised: True if words are separated by spaces.
        bad_share: The share of bad sentences in the text, which the probabilities of a
            judge then assume. The same sentences pass.
        processes: The number of processes that score.
        skip_bad: Skip bad lines and files instead of raising an error.
        overwrite: Start again in a folder of an earlier run.
        told: Called for each file of several.
        quiet: Show no progress.
        cluster: Runs the work elsewhere.

    Returns:
        The counts of all lines, and the rule by which they were kept.
    """
    if is_url(target):
        raise ValueError(Errors.LP484.format(target=target, problem="a URL"))
    layout, columns = Layout(field, skip_bad), Columns(scores, reasons)
    several = is_several(sources)
    files = [TextFile(sources[0], Path(target).name)]
    if several:
        path = check_folder(target, RECORD)
        files = find_files(sources, path)
    elif target != STDIN:
        suffixes = _SUFFIXES[format_of(sources[0])]
        check_target(Path(target), sources=sources, suffixes=suffixes)
    nlp = load_scorer(model, bad_share)
    choice = choose(nlp, threshold, below=below, documents=documents)
    settings = ScoringSettings(
        model,
        tokenised,
        processes,
        documents,
        None if documents else choice.least,
        reasons,
        bad_share,
    )
    with ExitStack() as opened:
        shown = Progress([file.path for file in files], quiet=quiet)
        opened.callback(shown.end)
        make = partial(
            _file_filter,
            settings=replace(settings, processes=1),
            choice=choice,
            layout=layout,
            columns=columns,
        )
        if cluster:
            run = cluster(nlp, make, progress=shown.add)
        else:
            scorers = opened.enter_context(Scorers(settings, nlp))
            run = run_here(FileFilter(scorers, choice, layout, columns, shown))
        if not several:
            return work_on_file(sources[0], target, run), choice
        record = Record(
            path,
            {
                "model": checksum(find_component(nlp).to_bytes()),
                "tokenised": tokenised,
                "documents": documents,
                "threshold": choice.least,
                "below": below,
                "field": field,
                "scores": scores,
                "reasons": reasons,
            },
        )
        record.read(overwrite=overwrite)

        def done(file: TextFile, tally: Tally, before: bool) -> None:
            shown.close(file, tally, before)
            if told:
                told(file, tally, before)

        return work_on_folder(files, record, run, skip_bad=skip_bad, told=done), choice


def choose(
    nlp: Language, threshold: float | None, *, below: bool, documents: bool
) -> Choice:
    """Return the rule that selects texts.

    Args:
        nlp: The pipeline that scores them.
        threshold: The lowest score that is kept; by default that of the component.
        below: Keep the texts with lower scores instead.
        documents: True if the score is the share of good sentences.
    """
    own = find_component(nlp).threshold
    if own is None and (threshold is None or documents):
        raise ValueError(Errors.LP789)
    default = GOOD_SHARE if documents else own
    return Choice(default if threshold is None else threshold, below)


def _file_filter(
    load: Callable[[], Language], settings: ScoringSettings, **others: Any
) -> FileFilter:
    """Create the work of a process on a cluster."""
    scorers = Scorers(settings, load=load)
    return FileFilter(scorers.__enter__(), **others)
