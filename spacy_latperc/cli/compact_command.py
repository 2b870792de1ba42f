"""`spacy latperc compact`: the same pipeline in a smaller file."""

from pathlib import Path

import typer
from wasabi import msg

from ..compact import compact
from ..data.configured import configured_examples
from ..io.pipelines import check_room, load_pipeline, save_pipeline
from ..io.progress import counted
from ..learners.serialization.cutting import BITS, FEWEST_BITS
from . import latperc_cli
from .failures import failures_shown
from .groups import TRAIN
from .options import Code, HeldOut
from .score_tables import percent, show_table


@latperc_cli.command("compact", rich_help_panel=TRAIN)
def compact_cli(
    model: Path = typer.Argument(..., help="A trained pipeline", exists=True),
    dev: HeldOut = "",
    output: Path | None = typer.Argument(
        None, help="Where to save; by default beside the model, with '-16bit' added"
    ),
    cut: float = typer.Option(
        0.0, "--cut", min=0, max=0.99, help="The share of the weights to leave out"
    ),
    max_mb: float | None = typer.Option(
        None, "--max-mb", min=0, help="Instead: leave out tenths, down to megabytes"
    ),
    bits: int = typer.Option(
        BITS, "--bits", min=FEWEST_BITS, max=BITS, help="Bits of each weight"
    ),
    code: Code = None,
) -> None:
    """
    Shrink a pipeline: a tighter file, fewer bits, fewer weights.

    Reports what that changed: decisions on held-out data, scores, and bytes.
    """
    output = output or model.with_name(f"{model.resolve().name}-16bit")
    with failures_shown():
        check_room(output)
        nlp = load_pipeline(model)
        examples = list(counted(configured_examples(nlp, dev), "examples read"))
        report = compact(nlp, examples, cut=cut, max_mb=max_mb, bits=bits)
        save_pipeline(nlp, output)
    header = ("Component", "Tokens", "Changed", "KB before", "KB after")
    rows = [
        (c.name, c.tokens, c.changed, f"{c.before / 1e3:.0f}", f"{c.after / 1e3:.0f}")
        for c in report.components
    ]
    show_table(header, rows)
    scores = [
        (name, percent(value), percent(report.after[name]))
        for name, value in report.before.items()
        if isinstance(value, float)
        and name != "speed"
        and report.after.get(name) is not None
    ]
    show_table(("Score", "Before", "After"), scores)
    if report.cut:
        msg.text(f"Left out: {report.cut:.0%} of the weights, those nearest to 0")
    msg.good(f"Saved pipeline to {output}")
