"""`spacy latperc judge evaluate`."""

from pathlib import Path
from typing import Any

import typer
from wasabi import msg

from ...cli.failures import failures_shown
from ...cli.groups import wing_app
from ...cli.options import Code, Figures, TrainedPipeline
from ...errors import Errors
from ...io.jsonl import write_json
from ...io.pipelines import load_pipeline
from ..error_injection.corrupt import Corrupter, CorruptSettings
from ..training.evaluation import EvaluationData, evaluate_judge, evaluation_table
from ..training.evaluation_files import lexicon_of, pairs_of, rows_of, tokens_of
from ..training.from_text import words_of


def _files(name: str, help: str) -> Any:
    return typer.Option([], name, help=help, exists=True)


app = wing_app()


@app.command("evaluate")
def judge_evaluate_cli(
    model: TrainedPipeline,
    pairs: list[Path] = _files(
        "--pairs", "On each line an original, a tab, and its correction, tokenised"
    ),
    tokens: list[Path] = _files(
        "--tokens",
        '.spacy with doc.spans["errors"], as `judge corrupt` writes it',
    ),
    clean: list[Path] = _files(
        "--clean",
        "Good sentences, one on each line. Sentences with errors and junk such as "
        "shuffled words are made of them",
    ),
    wrong: list[Path] = _files("--wrong", "Bad sentences, one on each line"),
    tokenised: bool = typer.Option(
        False, "--tokenised", help="Words are separated by spaces in all files"
    ),
    json_path: Figures = None,
    code: Code = None,
) -> None:
    """Evaluate a grammaticality judge.

    Of pairs: is the correction preferred? Of clean and of bad sentences: how many are
    flagged? Of tokens: are the wrong ones found? The baselines are an
    n-gram model and the length alone.
    """
    with failures_shown():
        if not any((pairs, tokens, clean, wrong)):
            raise ValueError(Errors.LP786)
        nlp = load_pipeline(model)
        split = str.split if tokenised else words_of(nlp, split=False)
        data = EvaluationData(
            pairs={_name(x): pairs_of(x) for x in pairs},
            tokens={_name(x): tokens_of(x) for x in tokens},
            clean={_name(x): rows_of(x, split) for x in clean},
            wrong={_name(x): rows_of(x, split) for x in wrong},
        )
        for name, rows in data.clean.items():
            data.add_errors(name, Corrupter(lexicon_of(rows), CorruptSettings(seed=8)))
        data.add_junk()
        figures = evaluate_judge(nlp, data)
        if json_path:
            write_json(json_path, figures)
    show_evaluation(figures)


def _name(path: Path) -> str:
    return path.name.partition(".")[0]


def show_evaluation(figures: dict[str, Any]) -> None:
    """Print the figures of a judge as a table."""
    header, rows = evaluation_table(figures)
    aligns = ["l", "r", "l", *("r" for _ in header[3:])]
    msg.table(rows, header=header, divider=True, aligns=aligns)
    msg.text(
        "All figures are per cent. Chance is 50 for pairs and AUC. Flagged are the "
        "sentences below the threshold."
    )
