"""`latperc fit DATA`: what the command shows before and after training."""

from pathlib import Path
from typing import Any

import typer
from spacy.language import Language
from spacy.training import Example
from wasabi import msg

from ..autofit.dataset import Dataset, Problem
from ..autofit.grids import read_systems
from ..autofit.make_config import SCORES, Plan
from ..autofit.run import Prepared, prepare
from ..autofit.summary import summarise
from ..autofit.systems import Task, run_all
from ..data.configured import configured_examples
from ..io.pipelines import load_pipeline
from ..pipeline.chain_pipe import ChainPipe
from ..report.comparison import Comparison, Mistake, item_text
from ..report.page import Subject, write_report
from .score_tables import percent, show_table

REPORT = "report.html"
_MOST_PROBLEMS, _MOST_MISTAKES, _AROUND = 5, 10, 8


def prepare_data(plan: Plan) -> Prepared:
    """Read annotated data, show what was detected, and write a config."""
    prepared = prepare(plan, lambda title, found: typer.echo(f"{title:<10} {found}"))
    _show_problems(prepared.data, plan)
    return prepared


def _show_problems(data: Dataset, plan: Plan) -> None:
    for text, n in (+data.notes).items():
        msg.warn(f"{n:,} {text}.")
    kinds: dict[str, list[Problem]] = {}
    for problem in data.problems:
        kinds.setdefault(problem.kind, []).append(problem)
    for kind, problems in kinds.items():
        msg.warn(f"{len(problems):,} {kind} spans were left out:")
        for problem in problems[:_MOST_PROBLEMS]:
            msg.text(f"  {problem}")
    if "misaligned" in kinds and plan.align == "skip":
        msg.text(
            "  Their ends are inside of tokens. --align contract or expand moves the "
            "ends; another --lang may split words as your annotators did."
        )


def show_results(
    prepared: Prepared, output: Path, model: Path, *, with_text: bool
) -> None:
    """Write the report of a trained pipeline, and show its scores and worst errors."""
    nlp = load_pipeline(model)
    tested = prepared.test or prepared.dev
    subject = Subject(
        nlp,
        prepared.plan.task,
        prepared.part,
        tested.docs,
        prepared.train.docs,
        facts=prepared.findings,
        problems=prepared.data.problems,
        with_text=with_text,
        title=f"{output.name}: {prepared.plan.task}",
    )
    found = write_report(output / REPORT, subject)
    rows = [
        (x.label, *map(percent, (x.precision, x.recall, x.f)), x.gold)
        for x in found.comparison.scores()
    ]
    show_table((prepared.part, "P", "R", "F", "gold"), rows)
    if with_text and found.comparison.mistakes:
        mistakes = found.comparison.mistakes[:_MOST_MISTAKES]
        msg.text("The most confident errors:" if mistakes[0].score else "Some errors:")
        for mistake in mistakes:
            typer.echo(f"  {_described(found.comparison, mistake)}")
    msg.good(f"Wrote the report to {output / REPORT}")
    chains = [name for name, pipe in nlp.pipeline if isinstance(pipe, ChainPipe)]
    command = f'explain {model} "a text"'
    if subject.component not in chains:
        command = f'annotate {model} "a text"'
    elif len(chains) > 1:
        command += f" -c {subject.component}"
    typer.echo(f"Next: latperc {command}")


def show_rounding(nlp: Language, prepared: Prepared, last: Path) -> None:
    """Show the size of a saved pipeline, and what its rounded weights change."""
    megabytes = sum(x.stat().st_size for x in last.glob("*/model")) / 1e6
    if prepared.plan.exact:
        typer.echo(f"Size       {megabytes:.2g} MB, with exact weights")
        return
    name = SCORES[prepared.plan.task]
    examples = list(configured_examples(nlp))
    copies = [Example(x.predicted.copy(), x.reference) for x in examples]
    exact = 100 * nlp.evaluate(copies)[name]
    rounded = 100 * load_pipeline(last).evaluate(examples)[name]
    typer.echo(
        f"Size       {megabytes:.2g} MB. Compact weights change {name} on development "
        f"data by {rounded - exact:+.2f} to {rounded:.2f}; --exact saves 32 bits"
    )


def show_spread(prepared: Prepared, seeds: int, overrides: dict[str, Any]) -> None:
    """Train with several seeds, and show the mean and the spread of the score."""
    (system,) = read_systems([prepared.config], overrides)
    test = prepared.config.with_name("test.spacy") if prepared.test else ""
    tasks = [Task(system, seed, corpus=str(test)) for seed in range(seeds)]
    (row,) = summarise(results := list(run_all(tasks)))
    typer.echo(
        f"Seeds      {results[0].score} on {prepared.part}: mean {row.mean:.2f}, "
        f"SD {row.sd:.2f} with {seeds} seeds"
    )


def show_old_data(base: Path, model: Path) -> None:
    """Show the scores of a pipeline, before and after it learned more, on the
    development data that it had before, if that is still there."""
    old, new = load_pipeline(base), load_pipeline(model)
    path = old.config.interpolate()["paths"].get("dev")
    if not (path and Path(path).exists()):
        msg.text(f"The development data of {base} is gone: no score on it")
        return
    before, after = (x.evaluate(list(configured_examples(old))) for x in (old, new))
    rows = [
        (name, percent(value), percent(after[name]))
        for name, value in before.items()
        if name in SCORES.values() and value is not None
    ]
    show_table((f"on {path}", "before", "now"), rows)


def _described(comparison: Comparison, mistake: Mistake) -> str:
    doc = comparison.gold[mistake.doc]
    both = mistake.gold, mistake.predicted
    items = [x for x in both if x is not None]
    start, end = min(x.start for x in items), max(x.end for x in items)
    before, after = doc[max(start - _AROUND, 0) : start], doc[end : end + _AROUND]
    gold, predicted = (
        item_text(doc, x)
        + ("" if x is None or x[:2] == (start, end) else f": {doc[x.start : x.end]}")
        for x in both
    )
    text = " ".join(f"{before.text} [{doc[start:end].text}] {after.text}".split())
    return f"{text}  (gold {gold}, predicted {predicted})"
