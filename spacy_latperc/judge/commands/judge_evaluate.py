"""`spacy latperc judge evaluate`."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer
from wasabi import msg

from ...cli.failures import failures_shown
from ...cli.options import Code, Figures, Quiet, TrainedPipeline, WhichComponent
from ...cli.raw_text import RawTextReader
from ...cli.wings import wing_app
from ...errors import Errors
from ...grammaticality.ngrams.model import NgramModel
from ...io.jsonl import write_json
from ...io.outputs import check_suffix, check_target
from ...io.pipelines import load_pipeline
from ..error_injection.corrupt import Corrupter, CorruptSettings
from ..training.judge_data import (
    add_corpora,
    grades_of,
    lexicon_of,
    pairs_of,
    rows_of,
    tokens_of,
)
from ..training.judge_folder import REPORT, write_report
from ..training.report import Sets, add_errors, report_on
from ..training.tables import Table, tables

VARIABLE = "LATPERC_DATA"


def _files(name: str, help: str) -> Any:
    return typer.Option([], name, help=help, exists=True)


app = wing_app()


@app.command("evaluate")
def judge_evaluate_cli(
    model: TrainedPipeline,
    output: Path | None = typer.Option(
        None,
        "--output",
        "-o",
        help=f"Folder for {REPORT}.html and {REPORT}.json",
        file_okay=False,
    ),
    pairs: list[Path] = _files(
        "--pairs", "On each line an original, a tab, and its correction, tokenised"
    ),
    grades: list[Path] = _files(
        "--grades", "On each line a number, a tab, and a tokenised sentence"
    ),
    tokens: list[Path] = _files(
        "--tokens",
        '.spacy with doc.spans["errors"], or .jsonl of `judge corrupt`',
    ),
    clean: list[Path] = _files(
        "--clean", "Good sentences, one on each line. Errors are put into them, too"
    ),
    wrong: list[Path] = _files("--wrong", "Bad sentences, one on each line"),
    foreign: Path | None = typer.Option(
        None, help="Sentences of another language, one on each line", exists=True
    ),
    text: list[str] = typer.Option(
        [],
        "--text",
        help="What the judge was made of: a 3-gram model of it is compared",
    ),
    tokenised: bool = typer.Option(
        False, "--tokenised", help="Words are separated by spaces in all files"
    ),
    data: Path | None = typer.Option(
        None,
        help=f"Folder of public corpora; by default that of {VARIABLE}. Those that are "
        "there are used, too",
        exists=True,
    ),
    component: WhichComponent = None,
    json_path: Figures = None,
    quiet: Quiet = False,
    code: Code = None,
) -> None:
    """Evaluate a grammaticality judge.

    Pairs: is the correction preferred? Grades: is the order that of people? Tokens: are
    wrong words found? Clean sentences: how many are flagged, and how many of them with
    errors? What is no sentence, such as shuffled words: is it found? Beside n-gram
    models and length.
    """
    with failures_shown():
        if output:
            check_suffix(output)
            check_target(output / f"{REPORT}.json", suffixes=[".json"])
        if json_path:
            check_target(json_path, suffixes=[".json"])
        folder = data or _data_folder()
        given = (pairs, grades, tokens, clean, wrong)
        if not any(given) and folder is None:
            raise ValueError(Errors.LP786)
        nlp = load_pipeline(model)

        def words(line: str) -> list[str]:
            return [token.text for token in nlp.tokenizer(line) if not token.is_space]

        split: Callable[[str], list[str]] = str.split if tokenised else words
        reader = RawTextReader("", quiet=quiet)
        sets = Sets()
        sets.pairs.update({_name(x): pairs_of(x) for x in pairs})
        sets.grades.update({_name(x): grades_of(x) for x in grades})
        sets.tokens.update({_name(x): tokens_of(x) for x in tokens})
        for path in clean:
            rows = rows_of(path, split)
            corrupter = Corrupter(lexicon_of(rows), CorruptSettings(seed=8))
            add_errors(sets, _name(path), rows, corrupter)
        sets.wrong.update({_name(x): rows_of(x, split) for x in wrong})
        if folder is not None:
            add_corpora(sets, folder)
        if foreign:
            sets.foreign = rows_of(foreign, split)
        if text:
            sets.trigrams = NgramModel.train(reader.read(text), order=3)
        found: dict[str, Any] = report_on(nlp, sets, component)
        reader.done("judged")
        if output:
            write_report(found, output)
        if json_path:
            write_json(json_path, found)
    for table in tables(found):
        show_table(table)
    if output:
        msg.good(f"Wrote {output / REPORT}.html and .json")


def _name(path: Path) -> str:
    return path.name.partition(".")[0]


def _data_folder() -> Path | None:
    named = os.environ.get(VARIABLE)
    return Path(named) if named and Path(named).is_dir() else None


def show_table(table: Table) -> None:
    """Print a table of a report."""
    msg.divider(table.title)
    msg.text(table.note)
    aligns = ("l", *("r" for _ in table.header[1:]))
    msg.table(table.rows, header=table.header, divider=True, aligns=aligns)
