"""`latperc compare`: models and configs on the same data."""

from collections.abc import Sequence
from contextlib import nullcontext
from itertools import product
from pathlib import Path

import typer

from ..autofit.grids import GRIDS, read_systems
from ..autofit.scatter import Point, draw
from ..autofit.summary import Result, Row, figures, summarise
from ..autofit.systems import Task, run_all
from ..distributed.cluster import ray_cluster
from ..errors import Errors
from ..io.jsonl import write_json
from ..io.outputs import check_target, write_output
from . import latperc_cli
from .failures import WITH_OVERRIDES, config_overrides, failures_shown
from .groups import TRAIN
from .options import Code, Figures, RayAddress
from .score_tables import show_table

SHARES = (0.125, 0.25, 0.5, 1.0)


@latperc_cli.command("compare", context_settings=WITH_OVERRIDES, rich_help_panel=TRAIN)
def compare_cli(
    systems: list[str] = typer.Argument(
        ...,
        metavar="SYSTEM... [DATA]",
        help="Models, configs, and grids of settings (.yml); then a file as for `fit`, "
        "or a corpus of the configs to score on, by default that of development",
    ),
    seeds: int = typer.Option(
        3, "--seeds", "-n", help="How many seeds of each config: 0, 1, ...", min=1
    ),
    on: str = typer.Option("", "--on", help="What to score on, as after the systems"),
    curve: bool = typer.Option(
        False, "--curve", help="Also train with an eighth, a quarter and half the data"
    ),
    picture: Path = typer.Option(
        None, "--svg", help="Picture of scores against time, or against the data"
    ),
    processes: int = typer.Option(1, "--processes", "-p", min=1),
    ray: RayAddress = None,
    output: Figures = None,
    code: Code = None,
) -> None:
    """
    Compare models and configs, with mean and spread over seeds.

    p is the probability of a difference from the first system that is as large, if both
    were the same, by approximate randomisation of sentences. Settings can be overridden
    as for `spacy train`.
    """
    with failures_shown():
        at = next((i for i, x in enumerate(systems) if x[:2] == "--"), len(systems))
        overrides, paths = config_overrides(systems[at:]), systems[:at]
        corpus = on
        if paths and not on and not _is_system(Path(paths[-1])):
            corpus = paths.pop()
        if not paths:
            raise ValueError(Errors.LP869.format(path=corpus))
        if picture is not None:
            check_target(picture, suffixes=[".svg"])
        found = read_systems([*map(Path, paths)], overrides)
        tasks = [
            Task(system, seed, share, corpus)
            for system, share in product(found, SHARES if curve else (1.0,))
            for seed in range(seeds if system.config else 1)
            if system.config or share == 1
        ]
        results: list[Result] = []
        with ray_cluster(ray) if ray else nullcontext() as cluster:
            for done in run_all(tasks, processes, cluster):
                results.append(done)
                _show_result(done, curve)
        rows = summarise(results)
        _show_rows(rows, results[0].score)
        if output is not None:
            write_json(output, figures(results, rows))
        if picture is not None:
            write_output(picture, _picture(rows, results[0].score, curve).encode())


def _show_result(done: Result, curve: bool) -> None:
    share = f" {done.share:.1%}" if curve else ""
    trained = f" seed {done.seed}" if done.seconds else ""
    seconds = f" ({done.seconds:.1f} s)" if done.seconds else ""
    value = 100 * done.scores[done.score]
    typer.echo(f"{done.name}{share}{trained}: {done.score} {value:.2f}{seconds}")


def _show_rows(rows: Sequence[Row], score: str) -> None:
    table = [
        (
            x.name if x.share == 1 else f"{x.name} {x.share:.1%}",
            f"{x.mean:.2f}",
            f"{x.sd:.2f}" if x.seconds else "",  # a model is scored once
            "" if x.p is None else f"{x.p:.4f}",
            f"{x.seconds:.1f}" if x.seconds else "",
            f"{x.tokens_per_second:,.0f}",
            f"{x.megabytes:.1f}",
        )
        for x in rows
    ]
    show_table((score, "mean", "SD", "p", "CPU s", "tokens/s", "MB"), table)


def _picture(rows: Sequence[Row], score: str, curve: bool) -> str:
    if curve:
        title, at = "Training data, percent", [100 * x.share for x in rows]
    elif all(x.seconds for x in rows):
        title, at = "CPU seconds of training", [x.seconds for x in rows]
    else:
        title, at = "Microseconds a token", [1e6 / x.tokens_per_second for x in rows]
    points = [Point(x.name, x0, x.mean, x.sd) for x, x0 in zip(rows, at, strict=True)]
    return draw(points, title, score)


def _is_system(path: Path) -> bool:
    """Return whether a path is a config, a grid or a model, and not data."""
    return path.suffix in (".cfg", *GRIDS) or (path / "config.cfg").is_file()
