"""`spacy latperc judge negatives`."""

from pathlib import Path

import typer
from wasabi import msg

from ..errors import Errors
from ..grammaticality.negatives.docs import SUFFIX, outputs, write_negatives
from ..grammaticality.negatives.make import (
    CONSTRUCTIONS,
    Negatives,
    Settings,
    find_construction,
    make_negatives,
    train_model,
)
from ..io.outputs import check_target
from ..io.progress import progress_bar
from . import judge_cli
from .failures import failures_shown
from .options import RawText
from .raw_text import RawTextReader


@judge_cli.command("negatives")
def judge_negatives_cli(
    text: RawText,
    output: Path = typer.Argument(
        ..., help="OUT.spacy: writes OUT-train.spacy, OUT-dev.spacy, OUT-test.spacy"
    ),
    construction: str = typer.Option(
        "kn_m", "--construction", "-c", help=f"One of {', '.join(CONSTRUCTIONS)}"
    ),
    n: int = typer.Option(
        0, "--n", "-n", min=0, help="Only the first so many real sentences; 0 for all"
    ),
    split: str = typer.Option(
        "0.8,0.1,0.1", help="Shares of train, dev, test; 1: OUT.spacy alone"
    ),
    seed: int = typer.Option(0, min=0, help="Seed of the samples"),
    save_model: Path | None = typer.Option(
        None, help="Where to save the n-gram model, in the ARPA format"
    ),
) -> None:
    """
    Generate ungrammatical sentences from an n-gram model of a text.

    They are sampled so that neither length nor outer form give them away. Real and
    ungrammatical sentences are written with doc.cats.
    """
    with failures_shown():
        settings = Settings(
            construction=find_construction(construction),
            n=n,
            seed=seed,
            shares=_numbers(split),
        )
        settings.check()
        if output.suffix != SUFFIX:
            raise ValueError(Errors.LP351.format(path=output, wanted=SUFFIX))
        _run(text, output, settings, save_model)


def _run(text: str, output: Path, settings: Settings, save_model: Path | None) -> None:
    for path in outputs(output, settings.shares):
        check_target(path, sources=[text], suffixes=[SUFFIX])
    if save_model:
        check_target(save_model, sources=[text])
    reader = RawTextReader()
    source = reader.read([text])
    model = train_model(source, settings.construction)
    sizes = ", ".join(f"{size:,}" for size in model.table.sizes)
    reader.done(f"counted n-grams of 1, 2, ... words: {sizes}")
    if save_model:
        model.to_disk(save_model)
        reader.done(f"saved the n-gram model to {save_model}")
    with progress_bar("sentences made", total=settings.n or len(source)) as progress:
        negatives = make_negatives(source, settings, model=model, progress=progress)
    reader.done(f"made {len(negatives.negatives):,} negatives")
    show_counts(negatives)
    with progress_bar("sentences written", total=2 * len(negatives.part)) as progress:
        paths = write_negatives(
            negatives, output, seed=settings.seed, progress=progress
        )
    reader.done("written")
    msg.good("Wrote " + ", ".join(map(str, paths)))


def show_counts(negatives: Negatives) -> None:
    """Print what became of the sentences on the way."""
    rows = [(name, f"{n:,}") for name, n in negatives.counts.items()]
    rows.append(("checks of the surface", ", ".join(negatives.checks) or "none"))
    msg.table(rows)


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(",") if part.strip())
    except ValueError as error:
        message = Errors.LP423.format(text=text, example="0.8,0.1,0.1")
        raise ValueError(message) from error
