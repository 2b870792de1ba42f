"""`spacy latperc train-grammaticality`: from sentences to a pipeline, over arrays."""

from pathlib import Path
from time import perf_counter
from typing import Any

import spacy
import typer
from spacy.language import Language
from spacy.util import load_config
from wasabi import msg

from ..errors import Errors
from ..grammaticality.array_trainer import ArrayTrainer, PassReport
from ..grammaticality.component import LatpercGrammaticality
from ..grammaticality.labelled_docs import labelled_docs
from ..io.jsonl import write_json
from ..io.outputs import check_target
from ..io.pipelines import check_room, load_pipeline, save_pipeline
from ..io.progress import progress_bar
from . import latperc_cli
from .failures import WITH_OVERRIDES, config_overrides, failures_shown
from .groups import TEXT
from .options import Code, Quiet

FACTORY = "latperc_grammaticality"


@latperc_cli.command(
    "train-grammaticality", context_settings=WITH_OVERRIDES, rich_help_panel=TEXT
)
def train_grammaticality_cli(
    ctx: typer.Context,
    train: Path = typer.Argument(
        ...,
        help="Docs with categories: .spacy (see `judge negatives`), a folder of such "
        "files, or .jsonl; or text, with --negatives",
        exists=True,
    ),
    output: Path = typer.Option(
        ..., "--output", "-o", help="Folder for the trained pipeline"
    ),
    dev: Path | None = typer.Option(
        None,
        help="Held-out Docs, for figures and for probabilities",
        exists=True,
    ),
    negatives: Path | None = typer.Option(
        None,
        help="Text, one bad sentence on each line; TRAIN is text too",
        exists=True,
        dir_okay=False,
    ),
    tagger: str | None = typer.Option(
        None, help="A pipeline whose components come before: gives the tags"
    ),
    words_only: bool = typer.Option(
        False, "--words-only", help="No tags: with the default features only"
    ),
    config_path: Path | None = typer.Option(
        None,
        "--config",
        "-c",
        help="A config whose latperc_grammaticality is taken; by default five views "
        "are added up. Settings can be overridden, as for `spacy train`",
        exists=True,
    ),
    passes: int = typer.Option(
        10, "--passes", "-n", min=1, help="Passes over the data"
    ),
    lang: str = typer.Option("en", help="Language, without --tagger"),
    tags: str = typer.Option("tags", help="The field of .jsonl with tags"),
    log: Path | None = typer.Option(
        None, help="JSON file for the figures of each pass", dir_okay=False
    ),
    quiet: Quiet = False,
    code: Code = None,
) -> None:
    """
    Train a classifier of good and bad sentences.

    Sentences are read once and kept as numbers of features, without an Example for
    each. With --dev, each pass is scored, and probabilities are fitted in the end.
    """
    start = perf_counter()
    with failures_shown(config_path):
        overrides = config_overrides(ctx.args)
        check_room(output)
        if log:
            check_target(log, suffixes=[".json"])
        settings = _settings(config_path, overrides, words_only=words_only)
        nlp, name = _pipeline(settings, tagger, lang)
        pipe = nlp.get_pipe(name)
        assert isinstance(pipe, LatpercGrammaticality)
        labels = (pipe.labels[0], pipe.labels[1])
        trainer = ArrayTrainer(nlp, name)
        held_out = labelled_docs(nlp, dev, labels, tags=tags) if dev else ()
        docs = labelled_docs(nlp, train, labels, negatives=negatives, tags=tags)
        with progress_bar("Docs read", quiet=quiet) as told:
            training = trainer.train(
                docs,
                passes=passes,
                held_out=held_out,
                read=told,
                progress=None if quiet else show_pass,
            )
        save_pipeline(nlp, output)
        if log:
            write_json(log, training.to_dict())
    msg.good(
        f"Saved pipeline to {output} after {perf_counter() - start:.1f} s "
        f"({training.positives:,} + {training.negatives:,} sentences)"
    )


def show_pass(report: PassReport) -> None:
    """Print a line about a pass."""
    parts = [
        f"pass {report.number:3}",
        f"{report.seconds:6.2f} s",
        f"loss {report.loss:10.1f}",
        f"wrong {100 * report.wrong / max(report.examples, 1):5.2f} %",
        f"{report.decodings_per_negative:.2f} decodings a negative",
    ]
    if report.accuracy is not None:
        parts.append(f"held out {100 * report.accuracy:.2f} %")
    if report.auc is not None:
        parts.append(f"AUC {report.auc:.3f}")
    msg.text("  ".join(parts))


def _settings(
    path: Path | None, overrides: dict[str, Any], *, words_only: bool
) -> dict[str, Any]:
    """The component's settings: those of a config, or the default with five views."""
    if path is None:
        features = {"@misc": "spacy_latperc.GrammaticalityFeatures.v1"}
        model = {
            "@architectures": "spacy_latperc.LatentClassifier.v1",
            "views": ["IOB2", "IOB1", "IOE1", "IOE2", "O+C"],
            "features": {**features, "tags": not words_only},
            "learner": {"@misc": "spacy_latperc.LatentPA.v1", "C": 0.0001},
        }
        block: dict[str, Any] = {"model": model}
        for key, value in overrides.items():
            _set(block, key.removeprefix("components.grammaticality."), value)
        return block
    config = load_config(path, overrides=overrides, interpolate=True)
    for found in config["components"].values():
        if found.get("factory") == FACTORY:
            found = {key: value for key, value in found.items() if key != "factory"}
            if words_only:
                found["model"]["features"]["tags"] = False
            return found
    raise ValueError(Errors.LP346.format(path=path, factory=FACTORY))


def _set(block: dict[str, Any], key: str, value: Any) -> None:
    *outer, last = key.split(".")
    for name in outer:
        block = block.setdefault(name, {})
    block[last] = value


def _pipeline(
    settings: dict[str, Any], tagger: str | None, lang: str
) -> tuple[Language, str]:
    nlp = load_pipeline(tagger) if tagger else spacy.blank(lang)
    if any(isinstance(pipe, LatpercGrammaticality) for _, pipe in nlp.pipeline):
        raise ValueError(Errors.LP347.format(path=tagger))
    nlp.add_pipe(FACTORY, name="grammaticality", config=settings)
    return nlp, "grammaticality"
