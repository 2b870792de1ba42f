"""Output of `annotate` as columns: JSONL or Parquet of any size."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from time import perf_counter

import typer
from spacy.language import Language
from wasabi import msg

from ..distributed.annotators import FileAnnotator, TextAnnotator, annotated_name
from ..distributed.cluster import ray_cluster
from ..distributed.file_tasks import run_on_ray
from ..errors import Errors
from ..io.outputs import check_target
from ..io.pipelines import pipeline_to_bytes
from ..io.places import is_url
from ..io.progress import progress_bar
from ..text.folders import (
    Record,
    check_folder,
    checksum,
    run_here,
    work_on_file,
    work_on_folder,
)
from ..text.input_files import Layout, TextFile, find_files, format_of, is_several
from ..text.reader import Tally
from .annotated_texts import format_of_columns, refuse_annotated

RECORD = "annotate.json"


def is_for_columns(source: str | None, target: str | None) -> bool:
    """Return True if the input or the output has columns."""
    if target and format_of_columns(target):
        return True
    return bool(source) and (is_url(str(source)) or is_several([str(source)]))


def write_columns(
    load: Callable[[], Language],
    source: str,
    target: str,
    layout: Layout,
    errors: str,
    overwrite: bool,
    ray: str | None,
    workers: int | None,
) -> None:
    """Write texts with columns of what a pipeline says about them: to a file, or to a
    folder if several files are read; by a cluster of Ray, or in this process."""
    start = perf_counter()
    record, files = None, [source]
    if is_several([source]):
        path = check_folder(target, RECORD)
        found = find_files([source], path, annotated_name)
        files = [file.path for file in found]
        said = {
            "model": checksum(pipeline_to_bytes(load())),
            "field": layout.field,
            "errors": errors,
        }
        record = Record(path, said)
        record.read(overwrite=overwrite)
    else:
        format = format_of_columns(target)
        read = format_of(source)
        if format is None or is_url(target) or (read != format and read != "text"):
            known = "parquet" if read == "parquet" else "jsonl"
            raise ValueError(Errors.LP831.format(path=target, known=known, read=read))
        check_target(Path(target), sources=[source], suffixes=[f".{format}"])
    refuse_annotated(files)
    with ExitStack() as opened:
        told = opened.enter_context(progress_bar("texts"))
        make = partial(_annotator, layout=layout, errors=errors)
        if ray:
            cluster = opened.enter_context(ray_cluster(ray))
            run = run_on_ray(cluster, load(), make, workers=workers, progress=told)
        else:
            run = run_here(make(load, progress=told))
        if record is None:
            tally = work_on_file(source, target, run)
        else:
            skip = layout.skip_bad
            tally = work_on_folder(found, record, run, skip_bad=skip, told=_show_file)
    speed = tally.scored / (perf_counter() - start)
    msg.good(f"Wrote {tally.scored:,} texts to {target}, {speed:,.0f} a second")
    if tally.bad:
        msg.warn(f"Bad lines left out: {tally.bad:,}. The first: {tally.first_bad}")


def _annotator(
    load: Callable[[], Language],
    layout: Layout,
    errors: str,
    progress: Callable[[int], None] | None = None,
) -> FileAnnotator:
    return FileAnnotator(TextAnnotator(load, errors), layout, progress)


def _show_file(file: TextFile, tally: Tally, before: bool) -> None:
    said = f"left out. {tally.unread}" if tally.unread else f"{tally.scored:,} texts"
    typer.echo(f"{file.name}: {said}{' (before)' if before else ''}", err=True)
