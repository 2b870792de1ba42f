"""`spacy latperc annotate`: what a pipeline says about texts."""

from functools import partial
from pathlib import Path

import typer
from spacy.language import Language
from wasabi import msg

from ..data.conllu import write_conllu
from ..distributed.annotators import KINDS
from ..distributed.columns import ERROR
from ..errors import Errors
from ..io.docbin import SUFFIX, write_docs
from ..io.pipelines import load_pipeline
from ..pipeline.learner_pipe import use_threads
from ..text.input_files import Layout
from . import latperc_cli
from .annotate_columns import is_for_columns, write_columns
from .annotated_texts import (
    annotated,
    annotation_rows,
    check_output,
    docs_of_file,
)
from .failures import failures_shown
from .groups import LOOK
from .options import Code, ColumnField, Overwrite, RayAddress, Threads, TrainedPipeline

STOP, KEEP = KINDS


@latperc_cli.command("annotate", rich_help_panel=LOOK)
def annotate_cli(
    model: TrainedPipeline,
    texts: list[str] = typer.Argument(None, help="The texts, in quotes"),
    source: str = typer.Option(
        None,
        "--file",
        "-f",
        help="A file with a text on each line, or tokens (.conllu, .spacy); columns: "
        "also JSONL, Parquet, a folder, a pattern or a URL",
    ),
    target: str = typer.Option(
        None,
        "--output",
        "-o",
        help="In place of tables: .conllu, .spacy, or columns (.jsonl, .parquet, or a "
        "folder for several files). Text may be packed (.gz, .xz, .bz2, .zst)",
    ),
    min_score: float | None = typer.Option(
        None,
        "--min-score",
        min=0.0,
        max=1.0,
        help="Leave less probable tags, chunks and entities unlabelled, for `fit`",
    ),
    threads: Threads = None,
    field: ColumnField = "text",
    overwrite: Overwrite = False,
    keep_errors: bool = typer.Option(
        False,
        "--keep-errors",
        help=f"Columns: go on after failures, named in '{ERROR}'",
    ),
    ray: RayAddress = None,
    workers: int = typer.Option(
        None, "--processes", "-p", min=1, help="With --ray: how many work"
    ),
    code: Code = None,
) -> None:
    """
    Show what a pipeline writes on a few texts, or write it to a file.

    Tags, trees, chunks and entities token by token, and the categories of each text.

    Texts of any size become columns of JSONL or Parquet, with --ray on a cluster. With
    many files the same command goes on after an interruption.
    """
    with failures_shown():
        texts = [text for text in texts or [] if text.strip()]
        if not (texts or source):
            raise ValueError(Errors.LP326)
        load = partial(_load, model, threads)
        if ray is not None or is_for_columns(source, target):
            if texts or not source or not target:
                raise ValueError(Errors.LP830)
            if min_score is not None:
                raise ValueError(Errors.LP328.format(path=target))
            layout = Layout(field=field, skip_bad=keep_errors)
            errors = KEEP if keep_errors else STOP
            write_columns(load, source, target, layout, errors, overwrite, ray, workers)
            return
        file = Path(source) if source else None
        output = Path(target) if target else None
        if output:
            check_output(output, [file] if file else [])
        nlp = load()
        bare = [*map(nlp.make_doc, texts), *docs_of_file(file, nlp)]
        docs = annotated(nlp, bare, min_score)
        if not docs:
            raise ValueError(Errors.LP326)
        if output:
            write = write_conllu if output.suffix != SUFFIX else write_docs
            write(docs, output)
            msg.good(f"Wrote {len(docs):,} texts to {output}")
            return
    for doc in docs:
        header, *rows = annotation_rows(doc)
        msg.table(rows, header=header, divider=True, max_col=80)
        if doc.cats:
            msg.text("  ".join(f"{name} {p:.2f}" for name, p in doc.cats.items()))


def _load(model: str, threads: int | None) -> Language:
    nlp = load_pipeline(model)
    if threads is not None:
        use_threads(nlp, threads)
    return nlp
