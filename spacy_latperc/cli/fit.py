"""`spacy latperc fit`: train without the host's loop."""

from pathlib import Path
from time import perf_counter

import typer
from spacy.util import load_config
from wasabi import msg

from ..direct import fit, prepare_to_save
from . import latperc_cli
from .failures import config_overrides, failures_shown, make_room


@latperc_cli.command(
    "fit",
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def fit_cli(
    ctx: typer.Context,
    config_path: Path = typer.Argument(
        ..., help="Config, as for `spacy train`", exists=True, allow_dash=True
    ),
    output_path: Path = typer.Option(
        ..., "--output", "-o", help="Directory for the trained pipeline"
    ),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="No progress"),
) -> None:
    """
    Train a pipeline of spacy_latperc components directly.

    The same model as model-last of `spacy train` with the same config, byte for byte,
    in a fraction of the time: no evaluation between epochs, no host loop. Settings can
    be overridden as for `spacy train`, such as --training.max_epochs 20.
    """
    start = perf_counter()
    with failures_shown(config_path):
        overrides = config_overrides(ctx)
        make_room(output_path)
        config = load_config(config_path, overrides=overrides, interpolate=False)

        def progress(epoch: int, epochs: int, seen: int, losses: dict) -> None:
            values = "  ".join(f"{name} {loss:.1f}" for name, loss in losses.items())
            msg.text(f"Epoch {epoch}/{epochs}  {seen} examples  loss: {values}")

        nlp = fit(config, progress=None if quiet else progress)
        prepare_to_save(nlp).to_disk(output_path)
    msg.good(f"Saved pipeline to {output_path} after {perf_counter() - start:.1f} s")
