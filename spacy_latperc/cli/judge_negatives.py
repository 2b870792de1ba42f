"""`spacy latperc judge negatives`."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import typer
from wasabi import msg

from ..errors import Errors
from ..grammaticality.negatives.constructions import (
    CONSTRUCTIONS,
    VOCABULARIES,
    find_construction,
)
from ..grammaticality.negatives.docs import (
    DOCS_PER_FILE,
    LABELS,
    SUFFIX,
    add_tags,
    outputs,
    write_negatives,
)
from ..grammaticality.negatives.make import (
    Negatives,
    Settings,
    check_tags,
    make_negatives,
    train_model,
)
from ..grammaticality.negatives.noise import KINDS, read_shares
from ..io.outputs import check_target
from ..io.packed import STDIN
from ..io.pipelines import load_pipeline
from ..io.progress import progress_bar
from . import judge_cli
from .failures import failures_shown
from .options import Code, Lowercase, RawText
from .raw_text import RawTextReader

Number = TypeVar("Number", int, float)


@judge_cli.command("negatives")
def judge_negatives_cli(
    text: RawText,
    output: Path = typer.Argument(
        ..., help="OUT.spacy: writes OUT-train.spacy, OUT-dev.spacy, OUT-test.spacy"
    ),
    construction: str = typer.Option(
        "kn_m", "--construction", "-c", help=f"One of {', '.join(CONSTRUCTIONS)}"
    ),
    order: int | None = typer.Option(
        None, help="Words in an n-gram, 2 to 5; by default what the construction has"
    ),
    min_counts: str = typer.Option(
        "", help="How often 1-grams, 2-grams, ... must occur to be kept, such as 1,1,2"
    ),
    vocabulary: str | None = typer.Option(
        None,
        help=f"Words that false sentences may have: {' or '.join(VOCABULARIES)} (those "
        "of the real ones); by default what the construction has",
    ),
    noise: str = typer.Option(
        "",
        help="Shares of false sentences that are real ones with one error, such as "
        f"swap=0.2,deletion=0.1, of {', '.join(KINDS)} (a word with the same tag)",
    ),
    tagger: str = typer.Option(
        "", help="A pipeline that gives the tags for the error 'tag'"
    ),
    positives: str = typer.Option(
        "",
        help="A file with the real sentences; by default those of TEXT. The n-gram "
        "model is of TEXT",
    ),
    n: int = typer.Option(
        0, "--n", "-n", min=0, help="Only the first so many real sentences; 0 for all"
    ),
    min_length: int = typer.Option(4, help="Fewest words of a real sentence"),
    max_length: int = typer.Option(50, help="Most words of a real sentence"),
    split: str = typer.Option(
        "0.8,0.1,0.1", help="Shares of train, dev, test; 1: OUT.spacy alone"
    ),
    labels: str = typer.Option(
        ",".join(LABELS),
        help="The categories of real and of false sentences in doc.cats",
    ),
    lowercase: Lowercase = False,
    seed: int = typer.Option(0, min=0, help="Seed of the samples"),
    save_model: Path | None = typer.Option(
        None, help="Where to save the n-gram model, in the ARPA format"
    ),
    docs_per_file: int = typer.Option(
        DOCS_PER_FILE,
        min=1,
        help="A part with more becomes a folder of several files",
    ),
    code: Code = None,
) -> None:
    """
    Generate ungrammatical sentences from an n-gram model of a text.

    They are sampled so that neither length nor outer form give them away. Real and
    ungrammatical sentences are written with doc.cats.
    """
    with failures_shown():
        settings = Settings(
            construction=replace(
                find_construction(construction),
                **_given(
                    order=order,
                    vocabulary=vocabulary,
                    min_counts=_numbers(min_counts, int, "1,1,2") or None,
                ),
            ),
            n=n,
            seed=seed,
            shortest=min_length,
            longest=max_length,
            noise=read_shares(noise),
            shares=_numbers(split, float, "0.8,0.1,0.1"),
        )
        settings.check()
        names = tuple(name.strip() for name in labels.split(","))
        if len(names) != 2 or len(set(names)) != 2 or not all(names):
            raise ValueError(Errors.LP421.format(labels=labels))
        if output.suffix != SUFFIX:
            raise ValueError(Errors.LP351.format(path=output, wanted=SUFFIX))
        _run(
            text,
            output,
            settings,
            positives=positives,
            tagger=tagger,
            labels=(names[0], names[1]),
            lowercase=lowercase,
            save_model=save_model,
            docs_per_file=docs_per_file,
        )


def _run(
    text: str,
    output: Path,
    settings: Settings,
    *,
    positives: str,
    tagger: str,
    labels: tuple[str, str],
    lowercase: bool,
    save_model: Path | None,
    docs_per_file: int,
) -> None:
    for path in outputs(output, settings.shares):
        check_target(path, sources=[text], suffixes=[SUFFIX])
    if save_model:
        check_target(save_model, sources=[text])
    if positives not in ("", STDIN) and not Path(positives).is_file():
        raise FileNotFoundError(Errors.LP101.format(path=positives))
    nlp = load_pipeline(tagger) if tagger else None
    reader = RawTextReader(lowercase=lowercase)
    source = reader.read([text])
    real = None
    if positives:
        real = reader.read([positives], beside=source, what="real sentences")
    if nlp is None:
        check_tags(real or source, settings)
    model = None
    if save_model or sum(settings.noise.values()) < 1:
        model = train_model(source, settings.construction)
        sizes = ", ".join(f"{size:,}" for size in model.table.sizes)
        reader.done(f"counted n-grams of 1, 2, ... words: {sizes}")
    if model and save_model:
        model.to_disk(save_model)
        reader.done(f"saved the n-gram model to {save_model}")
    with progress_bar(
        "sentences made", total=settings.n or len(real or source)
    ) as progress:
        negatives = make_negatives(
            source,
            settings,
            positives=real,
            model=model,
            tag=(lambda sentences: add_tags(sentences, nlp)) if nlp else None,
            progress=progress,
        )
    reader.done(f"made {len(negatives.negatives):,} negatives")
    show_counts(negatives)
    with progress_bar("sentences written", total=2 * len(negatives.part)) as progress:
        paths = write_negatives(
            negatives,
            output,
            labels=labels,
            seed=settings.seed,
            docs_per_file=docs_per_file,
            progress=progress,
        )
    reader.done("written")
    msg.good("Wrote " + ", ".join(map(str, paths)))


def show_counts(negatives: Negatives) -> None:
    """Print what became of the sentences on the way."""
    rows = [(name, f"{n:,}") for name, n in negatives.counts.items()]
    rows.append(("checks of the surface", ", ".join(negatives.checks) or "none"))
    msg.table(rows)


def _given(**options: object) -> dict:
    return {name: value for name, value in options.items() if value is not None}


def _numbers(
    text: str, kind: Callable[[str], Number], example: str
) -> tuple[Number, ...]:
    try:
        return tuple(kind(part) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise ValueError(Errors.LP423.format(text=text, example=example)) from error
