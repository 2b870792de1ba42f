"""`latperc suggest`: texts that are worth annotating next."""

import json
from pathlib import Path
from typing import Any

import typer
from spacy.tokens import Doc
from wasabi import msg

from ..autofit.suggest import MEASURES, suggest
from ..io.jsonl import SUFFIXES
from ..io.outputs import check_target, write_output
from ..io.pipelines import load_pipeline
from ..pipeline.chain_pipe import ChainPipe
from ..text.input_files import Layout
from . import latperc_cli
from .failures import failures_shown
from .groups import LOOK
from .inspect_command import choose_chain
from .options import Code, ColumnField, OutputFile, TrainedPipeline, WhichComponent


@latperc_cli.command("suggest", rich_help_panel=LOOK)
def suggest_cli(
    model: TrainedPipeline,
    source: str = typer.Argument(
        ..., metavar="TEXT", help="A text on each line, or JSONL or Parquet"
    ),
    output: OutputFile = Path("suggestions.jsonl"),
    n: int = typer.Option(100, "-n", min=1, help="How many texts"),
    measure: str = typer.Option(
        MEASURES[0],
        "--by",
        help="margin: the best two analyses are close; entropy: many labels are likely",
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
        lines = (line.text for line in Layout(field=field).reader(source))
        texts = dict.fromkeys(filter(str.strip, lines))
        docs = (nlp.make_doc(text) for text in texts)
        records = [
            json.dumps(_record(pipe, doc, value), ensure_ascii=False)
            for doc, value in suggest(nlp, pipe, docs, n, measure=measure)
        ]
        write_output(output, "".join(f"{x}\n" for x in records).encode())
    msg.good(f"Wrote {len(records):,} of {len(texts):,} texts to {output}")
    typer.echo(f"Next: correct them, and latperc fit {output} --from {model} -o NEW")


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
