"""`spacy latperc fit`: train without the host's loop."""

from pathlib import Path
from time import perf_counter

import typer
from spacy.util import load_config
from wasabi import msg

from ..distributed.cluster import HERE
from ..distributed.shard_workers import RayWorkers
from ..errors import Errors
from ..training.fit import fit_and_save
from . import latperc_cli
from .failures import WITH_OVERRIDES, config_overrides, failures_shown
from .groups import TRAIN
from .options import Code, Quiet
from .ray_option import RayAddress, WithRay


@latperc_cli.command(
    "fit", context_settings=WITH_OVERRIDES, rich_help_panel=TRAIN, cls=WithRay
)
def fit_cli(
    ctx: typer.Context,
    config_path: Path = typer.Argument(
        ..., help="Config, as for `spacy train`", exists=True, allow_dash=True
    ),
    output_path: Path = typer.Option(
        ..., "--output", "-o", help="Folder for model-best and model-last"
    ),
    no_evaluation: bool = typer.Option(
        False,
        "--no-evaluation",
        help="No scores and no model-best: only model-last, the fastest way",
    ),
    workers: int = typer.Option(
        1,
        "--workers",
        help="Deal the corpus out to so many workers on Ray, started on this machine "
        "unless --ray names a cluster, and mix their weights after each epoch; more "
        "workers need more epochs",
    ),
    resume: bool = typer.Option(
        False,
        "--resume",
        help="With workers: continue a training that was stopped after the last epoch "
        "that was saved",
    ),
    ray: RayAddress = None,
    quiet: Quiet = False,
    code: Code = None,
) -> None:
    """
    Train a pipeline from a config, in seconds.

    What `spacy train` does with the same config, in a fraction of the time: the same
    scores on the development corpus, model-best, and model-last with the same bytes of
    its models. Settings can be overridden as there, such as --training.max_epochs 20.
    """
    start = perf_counter()
    with failures_shown(config_path):
        overrides = config_overrides(ctx.args)
        config = load_config(config_path, overrides=overrides, interpolate=False)
        fit_and_save(
            config,
            output_path,
            evaluate=not no_evaluation,
            quiet=quiet,
            workers=_workers(workers, ray, resume=resume),
            resume=resume,
        )
    last, best = (output_path / name for name in ("model-last", "model-best"))
    seconds = f"after {perf_counter() - start:.1f} s"
    if no_evaluation or not best.is_dir():
        msg.good(f"Saved the pipeline to {last} {seconds}")
    else:
        msg.good(f"Saved the best pipeline to {best}, the last to {last} {seconds}")


def _workers(n: int, ray: str | None, *, resume: bool) -> RayWorkers | None:
    """The workers to train with; None for training in this process."""
    if ray or n != 1:
        return RayWorkers(n, ray or HERE)
    if resume:
        raise ValueError(Errors.LP847)
    return None
