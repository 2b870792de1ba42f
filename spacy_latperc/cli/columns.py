"""What `annotate` writes as columns: JSONL or Parquet, of any size."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter

import typer
from spacy.language import Language
from wasabi import msg

from ..data.formats import CONLLU_SUFFIXES
from ..distributed.annotating import annotate_files, annotated_name
from ..distributed.cluster import ray_cluster
from ..distributed.output import Output
from ..errors import Errors
from ..grammaticality.filter.files import (
    Layout,
    TextFile,
    find_files,
    format_of,
    is_several,
)
from ..grammaticality.filter.run import Record, Tally, check_folder, checksum
from ..io.atomic import check_target
from ..io.docbin import SUFFIX
from ..io.packed import without_packing
from ..io.pipelines import pipeline_to_bytes
from ..io.places import is_url
from ..io.progress import progress_bar

FORMATS = ("jsonl", "parquet")
RECORD = "annotate.json"


def is_for_columns(source: str | None, target: str | None) -> bool:
    """Whether texts are to become columns: by what is read, or what is written."""
    if target and format_of_columns(target):
        return True
    return bool(source) and (is_url(str(source)) or is_several([str(source)]))


def format_of_columns(target: str) -> str | None:
    """How columns are written, by the name of a file; None if it has another name."""
    name = without_packing(target)
    return next((x for x in FORMATS if name.endswith(f".{x}")), None)


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
    """Write texts with columns of what a pipeline says about them.

    Args:
        load: Loads the pipeline.
        source: A file, a folder, a pattern or a URL.
        target: The file, or the folder if several files are read.
        layout: How files are read.
        errors: "stop" or "keep".
        overwrite: Start again in a folder that was written to before.
        ray: A cluster, by its address; without one this process does the work.
        workers: How many work on a cluster.
    """
    start = perf_counter()
    record, format = None, None
    if is_several([source]):
        folder = check_folder(target)
        files = find_files([source], folder)
        said = {
            "model": checksum(pipeline_to_bytes(load())),
            "field": layout.field,
            "errors": errors,
        }
        record = Record(folder / RECORD, said)
        record.read(overwrite=overwrite)
    else:
        files = [TextFile(source, Path(source).name)]
        format = format_of_columns(target)
        read = format_of(source)
        if format is None or is_url(target) or (read != format and read != "text"):
            known = "parquet" if read == "parquet" else "jsonl"
            raise ValueError(Errors.LP831.format(path=target, known=known, read=read))
        check_target(Path(target), sources=[source])
    _refuse_annotated(files)

    def place(file: TextFile) -> str:
        folder = Path(target)
        return target if record is None else str(folder / annotated_name(file.name))

    with ExitStack() as opened:
        cluster = opened.enter_context(ray_cluster(ray)) if ray else None
        told = opened.enter_context(progress_bar("texts"))
        output = Output(place, record, layout.skip_bad, told, _show_file)
        tally = annotate_files(
            cluster,
            load,
            files,
            output,
            layout,
            format=format,
            errors=errors,
            workers=workers,
        )
    speed = tally.scored / (perf_counter() - start)
    msg.good(f"Wrote {tally.scored:,} texts to {target}, {speed:,.0f} a second")
    if tally.bad:
        msg.warn(f"Left out {tally.bad:,} bad line(s); {tally.first_bad}")


def _show_file(file: TextFile, tally: Tally, before: bool) -> None:
    said = f"left out. {tally.unread}" if tally.unread else f"{tally.scored:,} texts"
    typer.echo(f"{file.name}: {said}{' (before)' if before else ''}", err=True)


def _refuse_annotated(files: Sequence[TextFile]) -> None:
    for file in files:
        if file.path.endswith((*CONLLU_SUFFIXES, SUFFIX)):
            raise ValueError(Errors.LP832.format(path=file.path))
