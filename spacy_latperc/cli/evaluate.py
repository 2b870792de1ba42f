"""`spacy latperc evaluate`: score a pipeline through its config's own reader."""

from pathlib import Path
from typing import Any

import typer
from spacy.language import Language
from spacy.training import Example
from wasabi import msg

from ..autofit.dataset import read_examples
from ..autofit.systems import annotate
from ..data.configured import SECTION, corpus_block
from ..errors import Errors
from ..io.jsonl import write_json
from ..io.pipelines import load_pipeline
from ..pipeline.learner_pipe import use_threads
from ..training.check_config import check_given
from . import latperc_cli
from .failures import failures_shown
from .groups import LOOK
from .options import Code, Threads, TrainedPipeline, check_figures
from .score_tables import show_scores, single_scores, span_scores


@latperc_cli.command("evaluate", rich_help_panel=LOOK)
def evaluate_cli(
    model: TrainedPipeline,
    corpus: str = typer.Argument(
        "",
        help="A corpus of the config (corpora.dev by default), or a file or folder, "
        "read as that one or else as by `fit`",
    ),
    output: Path = typer.Option(
        None, "--output", "-o", help="JSON file for all scores", callback=check_figures
    ),
    threads: Threads = None,
    code: Code = None,
) -> None:
    """
    Score a pipeline on a corpus.

    The corpus is read by the reader of the config. So annotation that is an input of
    the pipeline, such as the tags of a chunking corpus, is there as it was in
    training; `spacy evaluate` leaves it out.
    """
    with failures_shown():
        nlp = load_pipeline(model)
        if threads is not None:
            use_threads(nlp, threads)
        if not corpus or corpus.startswith(SECTION):
            check_given(nlp, corpus_block(nlp.config.interpolate(), corpus))
        scores = evaluate(nlp, list(read_examples(nlp, corpus)), corpus)
    show_scores(scores)
    msg.text(
        f"{scores['tokens_per_second']:,.0f} tokens/s, {scores['tokens']:,} tokens"
    )
    if output:
        with failures_shown():
            write_json(output, dict(sorted(scores.items())))
        msg.good(f"Saved all scores to {output}")


def evaluate(nlp: Language, examples: list[Example], corpus: str) -> dict[str, Any]:
    """Score a pipeline on a corpus.

    Returns:
        What the components score, and `docs`, `tokens`, `tokens_per_second` (one pass
        of `nlp.pipe` over ready Docs, after the pass that was scored).
    """
    if not examples:
        raise ValueError(Errors.LP324.format(path=corpus))
    docs = [example.predicted.copy() for example in examples]
    scores = nlp.evaluate(examples)
    del scores["speed"]  # it counts a tokenizer in that had nothing to do
    found = [*single_scores(scores).values()]
    found += [values["f"] for values in span_scores(scores).values()]
    if not any(value is not None for value in found):
        names = ", ".join(nlp.pipe_names) or "none"
        raise ValueError(Errors.LP325.format(path=corpus, names=names))
    _, speed = annotate(nlp, docs)
    return {
        **scores,
        "docs": len(examples),
        "tokens": sum(map(len, docs)),
        "tokens_per_second": speed,
    }
