"""`latperc suggest`: texts that are worth annotating next."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from spacy.tokens import Doc
from wasabi import msg

from ..autofit.suggest import MEASURES, suggest
from ..io.jsonl import SUFFIXES, read_jsonl
from ..io.outputs import check_target, write_output
from ..io.pipelines import load_pipeline
from ..pipeline.chain_pipe import ChainPipe
from ..text.reader import LineReader
from . import latperc_cli
from .failures import failures_shown
from .groups import LOOK
from .inspect_command import choose_chain
from .options import Code, ColumnField, OutputFile, TrainedPipeline, WhichComponent


@latperc_cli.command("suggest", rich_help_panel=LOOK)
def suggest_cli(
    model: TrainedPipeline,
    source: str = typer.Argument(
        ..., metavar="TEXT", help="A file with a text on each line, or JSONL"
    ),
    output: OutputFile = Path("suggestions.jsonl"),
    n: int = typer.Option(100, "-n", min=1, help="How many texts"),
    measure: str = typer.Option(
        MEASURES[0],
        "--by",
        help="margin: the best two analyses are close; entropy: many labels are "
        "likely, which prefers long texts",
    ),
    component: WhichComponent = None,
    field: ColumnField = "text",
    code: Code = None,
) -> None:
    """
    Choose texts that are worth annotating next.

    Texts of which a component is unsure, and which differ from each other. They are
    written with its predictions, as JSONL that Prodigy and doccano read.
    """
    with failures_shown():
        check_target(output, sources=[Path(source)], suffixes=SUFFIXES)
        nlp = load_pipeline(model)
        pipe = choose_chain(nlp, component)
        texts = dict.fromkeys(_texts(source, field))
        docs = (nlp.make_doc(text) for text in texts)
        lines = [
            json.dumps(_record(pipe, doc, value), ensure_ascii=False)
            for doc, value in suggest(nlp, pipe, docs, n, measure=measure)
        ]
        write_output(output, "".join(f"{line}\n" for line in lines).encode())
    msg.good(f"Wrote {len(lines):,} of {len(texts):,} texts to {output}")
    typer.echo(f"Next: correct them, and latperc fit {output} --from {model} -o NEW")


def _texts(source: str, field: str) -> Iterator[str]:
    """Yield the texts of a file."""
    if not source.endswith(SUFFIXES):
        yield from (line.text for line in LineReader(source) if line.text.strip())
        return
    for line in read_jsonl(Path(source)):
        text = line.fields.get(field)
        if not isinstance(text, str):
            raise line.error(f'"{field}" must be a string')
        if text.strip():
            yield text


def _record(pipe: ChainPipe, doc: Doc, value: float) -> dict[str, Any]:
    """Return a text with the best analysis of a component, in the form of Prodigy
    (`spans`) and in that of doccano (`label`)."""
    best = pipe.n_best(doc, 1)[0].annotation
    spans = [
        (doc[x[0]].idx, doc[x[1] - 1].idx + len(doc[x[1] - 1]), x[2])
        if isinstance(x, tuple)
        else (doc[i].idx, doc[i].idx + len(doc[i]), x)
        for i, x in enumerate(best)
    ]
    return {
        "text": doc.text,
        "spans": [{"start": s, "end": e, "label": x} for s, e, x in spans],
        "label": [list(span) for span in spans],
        "meta": {"score": round(value, 4)},
    }
