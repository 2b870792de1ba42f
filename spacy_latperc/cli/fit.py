"""`spacy latperc fit`: train without the host's loop."""

from pathlib import Path
from time import perf_counter

import typer
from spacy.util import load_config
from wasabi import msg

from ..distributed.training import RayWorkers
from ..errors import Errors
from ..learners.mixing import Mixing
from ..training.fit import fit_and_save
from ..training.shards import LocalWorkers, Workers, check_workers
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
        help="Learn from the corpus in so many shards at once, on a cluster or in "
        "threads; more shards need more passes",
    ),
    shards: int = typer.Option(
        0,
        "--shards",
        help="In how many shards; 0: as many as workers. The model depends on this "
        "number alone, whoever does the work",
    ),
    mix: str = typer.Option(
        Mixing.kind,
        "--mix",
        help="A weight becomes the mean over the shards that changed it (changes), or "
        "over all (examples)",
    ),
    mixes: int = typer.Option(
        Mixing.rounds,
        "--mixes",
        help="Mix so many times a pass; 0: as often as there are shards, six times "
        "at most. With --mix examples --mixes 1 shards learn as in McDonald et al. "
        "2010",
    ),
    resume: bool = typer.Option(
        False,
        "--resume",
        help="With workers: go on after the last pass of a training of the same config "
        "that was broken off",
    ),
    max_memory: float | None = typer.Option(
        None,
        "--max-memory",
        min=0.0,
        help="How many megabytes the features of the corpus may take in memory; what "
        "is more goes to a temporary file. The model is the same",
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
        overrides = config_overrides(ctx)
        config = load_config(config_path, overrides=overrides, interpolate=False)
        fit_and_save(
            config,
            output_path,
            evaluate=not no_evaluation,
            quiet=quiet,
            workers=_workers(workers, shards, ray, Mixing(mix, mixes), resume=resume),
            resume=resume,
            max_memory=max_memory,
        )
    last, best = (output_path / name for name in ("model-last", "model-best"))
    seconds = f"after {perf_counter() - start:.1f} s"
    if no_evaluation or not best.is_dir():
        msg.good(f"Saved the pipeline to {last} {seconds}")
    else:
        msg.good(f"Saved the best pipeline to {best}, the last to {last} {seconds}")


def _workers(
    workers: int, shards: int, ray: str | None, mixing: Mixing, *, resume: bool
) -> Workers | None:
    """Those who learn; None for plain training."""
    shards = check_workers(shards or check_workers(workers))
    if shards > 1:
        if ray:
            return RayWorkers(workers, shards, ray, mixing)
        return LocalWorkers(shards, mixing)
    given = {
        "--ray": ray,
        "--resume": resume,
        "--mix": mixing.kind != Mixing.kind,
        "--mixes": mixing.rounds,
    }
    for option, value in given.items():
        if value:
            raise ValueError(Errors.LP847.format(option=option))
    return None
