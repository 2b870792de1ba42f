"""`spacy latperc compact`: the same pipeline with 16-bit weights."""

from pathlib import Path

import spacy
import typer
from wasabi import msg

from ..compact import compact
from ..data.configured import configured_examples
from . import latperc_cli


@latperc_cli.command("compact")
def compact_cli(
    model: Path = typer.Argument(..., help="A trained pipeline", exists=True),
    dev: Path = typer.Argument(
        ..., help="Held-out data, in the format of [corpora.dev] of its config"
    ),
    output: Path | None = typer.Argument(
        None, help="Where to save; by default beside the model, with '-16bit' added"
    ),
) -> None:
    """
    Save a pipeline with its weights rounded to 16 bits, and report what that changed:
    decisions on held-out data, scores, and bytes.
    """
    output = output or model.with_name(f"{model.resolve().name}-16bit")
    nlp = spacy.load(model)
    examples = list(configured_examples(nlp, "dev", path=dev))
    components, before, after = compact(nlp, examples)
    header = ("Component", "Tokens", "Changed", "KB before", "KB after")
    rows = [
        (c.name, c.tokens, c.changed, f"{c.before / 1e3:.0f}", f"{c.after / 1e3:.0f}")
        for c in components
    ]
    msg.table(rows, header=header, divider=True, aligns=("l", "r", "r", "r", "r"))
    scores = [
        (name, f"{100 * value:.2f}", f"{100 * after[name]:.2f}")
        for name, value in before.items()
        if isinstance(value, float) and name != "speed" and after.get(name) is not None
    ]
    columns = ("Score", "32 bits", "16 bits")
    msg.table(scores, header=columns, divider=True, aligns=("l", "r", "r"))
    nlp.to_disk(output)
    msg.good(f"Saved pipeline to {output}")
