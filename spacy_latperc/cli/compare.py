"""`spacy latperc compare`: a config over several seeds, with mean and spread."""

from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import median

import typer
from spacy.util import load_config
from wasabi import msg

from ..data.configured import configured_examples
from ..io.jsonl import write_json
from ..io.outputs import check_target
from ..training.repeat import Run, mean_and_sd, repeat
from . import latperc_cli
from .failures import WITH_OVERRIDES, config_overrides, failures_shown
from .groups import TRAIN
from .options import Code, Figures

_SHOWN = (
    "tag_acc",
    "pos_acc",
    "morph_acc",
    "dep_uas",
    "dep_las",
    "chunks_f",
    "ents_f",
    "grammaticality_acc",
    "grammaticality_auc",
)


@latperc_cli.command("compare", context_settings=WITH_OVERRIDES, rich_help_panel=TRAIN)
def compare_cli(
    ctx: typer.Context,
    config_path: Path = typer.Argument(..., help="Config, as for `fit`", exists=True),
    seeds: int = typer.Option(
        3, "--seeds", "-n", help="How many seeds: 0, 1, ...", min=1
    ),
    corpus: str = typer.Option(
        "",
        "--on",
        help="What to score on: a corpus of the config or a file. The development "
        "corpus by default: keep the test set for the end. What is fitted to the "
        "development corpus when a pipeline is saved counts on others only",
    ),
    output: Figures = None,
    code: Code = None,
) -> None:
    """
    Train with several seeds, for mean and spread.

    Differences smaller than the spread over seeds mean nothing. Settings can be
    overridden as for `spacy train`.
    """
    with failures_shown(config_path):
        overrides = config_overrides(ctx.args)
        config = load_config(config_path, overrides=overrides, interpolate=False)
        if output is not None:
            check_target(output, suffixes=[".json"])
        runs: list[Run] = []

        examples = partial(configured_examples, corpus=corpus)
        for run in repeat(config, range(seeds), examples, as_saved=bool(corpus)):
            runs.append(run)
            values = "  ".join(
                f"{name} {100 * run.scores[name]:.2f}"
                for name in _SHOWN
                if name in run.scores
            )
            msg.text(f"Seed {run.seed}  {values}  ({run.seconds:.1f} s)")
    rows = []
    for name in _SHOWN:
        if name in runs[0].scores:
            mean, sd = mean_and_sd(runs, name)
            rows.append((name, f"{mean:.2f}", f"{sd:.2f}"))
    header = ("Score", "Mean", "SD")
    msg.table(rows, header=header, divider=True, aligns=("l", "r", "r"))
    if output is not None:
        figures = {
            "scores": {
                name: dict(zip(("mean", "sd"), mean_and_sd(runs, name), strict=True))
                for name in _SHOWN
                if name in runs[0].scores
            },
            "seconds": median(run.seconds for run in runs),
            "runs": [asdict(run) for run in runs],
        }
        write_json(output, figures)
