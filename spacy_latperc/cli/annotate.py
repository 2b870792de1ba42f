"""`spacy latperc annotate`: what a pipeline says about a few texts."""

from collections.abc import Iterator
from pathlib import Path

import typer
from spacy.tokens import Doc
from wasabi import msg

from ..errors import Errors
from ..io.pipelines import load_pipeline
from ..pipeline.base import use_threads
from . import latperc_cli
from .failures import failures_shown
from .groups import LOOK
from .options import Threads, TrainedPipeline

STORED = "latperc_"  # span groups that only carry scores along


@latperc_cli.command("annotate", rich_help_panel=LOOK)
def annotate_cli(
    model: TrainedPipeline,
    texts: list[str] = typer.Argument(None, help="The texts, in quotes"),
    file: Path = typer.Option(
        None,
        "--file",
        "-f",
        help="A file with one text on each line",
        exists=True,
        dir_okay=False,
    ),
    threads: Threads = None,
) -> None:
    """
    Show what a pipeline writes on a few texts.

    Tags, chunks and entities token by token, and the categories of each text.
    """
    with failures_shown():
        lines = list(_lines(file)) if file else []
        texts = [text for text in [*(texts or []), *lines] if text.strip()]
        if not texts:
            raise ValueError(Errors.LP326)
        nlp = load_pipeline(model)
        if threads is not None:
            use_threads(nlp, threads)
        docs = list(nlp.pipe(texts))
    for doc in docs:
        header, *rows = annotation_rows(doc)
        msg.table(rows, header=header, divider=True)
        if doc.cats:
            msg.text("  ".join(f"{name} {p:.2f}" for name, p in doc.cats.items()))


def annotation_rows(doc: Doc) -> list[tuple[str, ...]]:
    """A header, then a row for each token: the columns that are annotated."""
    columns = {"token": [token.text for token in doc]}
    if doc.has_annotation("TAG"):
        columns["tag"] = [token.tag_ for token in doc]
    if doc.has_annotation("POS"):
        columns["pos"] = [token.pos_ for token in doc]
    if doc.has_annotation("MORPH"):
        columns["morph"] = [str(token.morph) for token in doc]
    for key in doc.spans:
        if key.startswith(STORED):
            continue
        columns[key] = _labels(
            doc, [(s.start, s.end, s.label_) for s in doc.spans[key]]
        )
    if doc.has_annotation("ENT_IOB"):
        columns["ents"] = _labels(doc, [(e.start, e.end, e.label_) for e in doc.ents])
    return [tuple(columns), *zip(*columns.values(), strict=True)]


def _lines(path: Path) -> Iterator[str]:
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            message = Errors.LP403.format(path=path, line=number)
            raise ValueError(message) from error


def _labels(doc: Doc, spans: list[tuple[int, int, str]]) -> list[str]:
    """B-X on the first token of a span, I-X on the others, nothing outside."""
    labels = [""] * len(doc)
    for start, end, label in spans:
        labels[start:end] = [f"I-{label}"] * (end - start)
        labels[start] = f"B-{label}"
    return labels
