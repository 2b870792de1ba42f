"""`spacy latperc fit`: train from a config, or from annotated data alone."""

from pathlib import Path
from time import perf_counter

import typer
from spacy.util import load_config
from wasabi import msg

from ..autofit.make_config import PURPOSES, TASKS, Plan
from ..distributed.cluster import HERE
from ..distributed.shard_workers import RayWorkers
from ..errors import Errors
from ..training.fit import fit_and_save
from . import latperc_cli
from .failures import WITH_OVERRIDES, config_overrides, failures_shown
from .fit_data import (
    prepare_data,
    show_old_data,
    show_results,
    show_rounding,
    show_spread,
)
from .groups import TRAIN
from .options import Code, Quiet, RayAddress, existing_folder


@latperc_cli.command("fit", context_settings=WITH_OVERRIDES, rich_help_panel=TRAIN)
def fit_cli(
    ctx: typer.Context,
    source: Path = typer.Argument(
        ...,
        help="Annotated data: a file or folder of JSONL (Prodigy, doccano, Label "
        "Studio), column files, CoNLL-U or .spacy; or a config, as for `spacy train`",
        exists=True,
        allow_dash=True,
    ),
    output_path: Path = typer.Option(
        ..., "--output", "-o", help="Folder for model-best and model-last"
    ),
    dev: Path = typer.Option(
        None, "--dev", help="Development data; by default a tenth of the documents"
    ),
    test: Path = typer.Option(None, "--test", help="Test data, scored at the end"),
    task: str = typer.Option(
        None, "--task", help=f"What to learn: {', '.join(TASKS)}; by default detected"
    ),
    lang: str = typer.Option(None, "--lang", help="The language; by default detected"),
    align: str = typer.Option(
        "skip",
        "--align",
        help="Spans that end inside of tokens: skip, contract, expand",
    ),
    lemmas: bool = typer.Option(
        False, "--lemmas", help="Also train spaCy's lemmatizer, where there are lemmas"
    ),
    partial: bool = typer.Option(
        False, "--partial", help="What JSON records do not annotate is unknown"
    ),
    raw: Path = typer.Option(
        None, "--raw", help="Unlabelled text like yours, for clusters of words"
    ),
    silver: Path = typer.Option(
        None, "--silver", help="More training data, from a teacher (latperc annotate)"
    ),
    encoder: Path = existing_folder(
        "--encoder", "An encoder whose vectors are read (latperc knowledge encoder)"
    ),
    embed: bool = typer.Option(
        True,
        "--embed/--no-embed",
        help="Save the encoder with the model, or its path and fingerprint",
    ),
    purpose: str = typer.Option(
        PURPOSES[0], "--for", help=f"What matters most: {', '.join(PURPOSES)}"
    ),
    base: Path = existing_folder(
        "--from", "A trained pipeline that learns from more data or new labels"
    ),
    exact: bool = typer.Option(
        False, "--exact", help="Save weights of 32 bits, in a larger file, not of 16"
    ),
    seed: int = typer.Option(0, "--seed", help="The seed, with annotated data"),
    seeds: int = typer.Option(
        1, "--seeds", min=1, help="Also train with so many seeds, for mean and spread"
    ),
    no_text: bool = typer.Option(
        False, "--no-text", help="A report without any text of the data"
    ),
    no_evaluation: bool = typer.Option(
        False, "--no-evaluation", help="Save model-last alone, without scores: fastest"
    ),
    workers: int = typer.Option(
        1, "--workers", help="Train on shards with so many workers on Ray"
    ),
    resume: bool = typer.Option(
        False, "--resume", help="With workers: continue after the last saved epoch"
    ),
    ray: RayAddress = None,
    quiet: Quiet = False,
    code: Code = None,
) -> None:
    """
    Train a pipeline from annotated data, in seconds.

    Detects format, task and language, divides the data, trains with the defaults and
    the knowledge that is installed, and writes the config next to the pipeline. With a
    config it does what `spacy train` does, in a fraction of the time: the same scores,
    and model-last with the same bytes. Settings can be overridden as there, such as
    --training.max_epochs 20.
    """
    start = perf_counter()
    prepared = None
    with failures_shown(source if source.suffix == ".cfg" else None):
        overrides = config_overrides(ctx.args)
        if not (source.suffix == ".cfg" or str(source) == "-"):
            plan = Plan(source, output_path, dev, test, lang, task, align, partial)
            plan.raw, plan.silver = raw, silver
            plan.encoder, plan.embed = encoder, embed
            plan.purpose, plan.base = purpose, base
            plan.lemmas, plan.exact, plan.seed = lemmas, exact, seed
            plan.epochs = overrides.get("training.max_epochs", 0)
            prepared = prepare_data(plan)
            source = prepared.config
        shards = RayWorkers(workers, ray or HERE) if ray or workers != 1 else None
        if resume and shards is None:
            raise ValueError(Errors.LP847)
        config = load_config(source, overrides=overrides, interpolate=False)
        nlp = fit_and_save(
            config,
            output_path,
            evaluate=not no_evaluation,
            quiet=quiet,
            workers=shards,
            resume=resume,
        )
    last, best = (output_path / name for name in ("model-last", "model-best"))
    seconds = f"after {perf_counter() - start:.1f} s"
    if no_evaluation or not best.is_dir():
        msg.good(f"Saved the pipeline to {last} {seconds}")
        return
    msg.good(f"Saved the best pipeline to {best}, the last to {last} {seconds}")
    if prepared is not None:
        with failures_shown():
            show_rounding(nlp, prepared, last)
            if base is not None:
                show_old_data(base, best)
            if seeds > 1:
                show_spread(prepared, seeds, overrides)
            show_results(prepared, output_path, best, with_text=not no_text)
