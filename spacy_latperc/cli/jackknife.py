"""`spacy latperc jackknife`: a corpus annotated by models that have not seen it."""

from pathlib import Path
from typing import Any

import typer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import load_config
from wasabi import msg

from ..data.configured import Block, block_examples, corpus_block
from ..errors import Errors
from ..io.docbin import SUFFIX, write_docs
from ..io.outputs import check_target
from ..pipeline.learner_pipe import LearnerPipe
from ..training.jackknife import READER, jackknife, untrained_pipeline, with_answers
from . import latperc_cli
from .failures import WITH_OVERRIDES, config_overrides, failures_shown
from .groups import TRAIN
from .options import Code, Quiet
from .score_tables import show_scores

# Of the gold, where it is there.
_KEPT = {
    "TAG": ["TAG"],
    "POS": ["POS"],
    "LEMMA": ["LEMMA"],
    "MORPH": ["MORPH"],
    "DEP": ["HEAD", "DEP"],
    "ENT_IOB": ["ENT_IOB", "ENT_TYPE"],
    "SENT_START": ["SENT_START"],
}


@latperc_cli.command(
    "jackknife", context_settings=WITH_OVERRIDES, rich_help_panel=TRAIN
)
def jackknife_cli(
    ctx: typer.Context,
    config_path: Path = typer.Argument(
        ..., help="Config, as for `fit`", exists=True, allow_dash=True
    ),
    output: Path = typer.Option(
        ..., "--output", "-o", help="The .spacy file to write", dir_okay=False
    ),
    component: str = typer.Option(
        "",
        "--component",
        "-c",
        help="Which component annotates, or several, separated by commas; by default "
        "the first one of the pipeline",
    ),
    folds: int = typer.Option(
        4, "--folds", min=2, help="How many models share the work"
    ),
    corpus: str = typer.Option(
        "",
        "--on",
        help="What is annotated: a corpus of the config or a file. The training corpus "
        "by default",
    ),
    key: str = typer.Option(
        "first",
        "--key",
        help="Where entities and chunks go in doc.spans, beside the gold ones. Tags "
        "and features take the place of the gold ones",
    ),
    quiet: Quiet = False,
    code: Code = None,
) -> None:
    """
    Annotate a corpus by models that have not seen it.

    The documents are cut into folds, and a model that is trained on all the others
    annotates each. A component that reads what another one wrote can learn from such a
    file; the scores are what the other one makes of text that is new to it. Settings
    can be overridden as for `spacy train`.
    """
    with failures_shown(config_path):
        overrides = config_overrides(ctx)
        config = load_config(config_path, overrides=overrides, interpolate=False)
        if output.suffix != SUFFIX:
            raise ValueError(Errors.LP351.format(path=output, wanted=SUFFIX))
        check_target(output, suffixes=[SUFFIX])
        nlp = untrained_pipeline(config)
        names = [x.strip() for x in component.split(",") if x.strip()]
        names = names or nlp.pipe_names[:1] or [""]
        block = _plain_block(nlp.config.interpolate(), corpus)
        examples = list(block_examples(nlp, block))
        answers = jackknife(nlp, names, examples, folds=folds, quiet=quiet)
        pipes = [nlp.get_pipe(name) for name in names]
        written = [pipe.written for pipe in pipes if isinstance(pipe, LearnerPipe)]
        docs = [
            with_answers(example, doc, written, key)
            for example, doc in zip(examples, answers, strict=True)
        ]
        write_docs(docs, output, attributes=_attributes(docs), user_data=True)
    pairs = [
        Example(doc, x.reference) for doc, x in zip(answers, examples, strict=True)
    ]
    scores: dict[str, Any] = {}
    for pipe in pipes:
        scores.update(pipe.score(pairs))
    show_scores(scores)
    msg.good(f"Wrote {len(docs):,} documents to {output}")


def _plain_block(config: dict, corpus: str) -> Block:
    """The reader of the corpus as it is before any component has annotated it."""
    block = corpus_block(config, corpus or config["training"]["train_corpus"])
    while block["@readers"] == READER:
        block = block["corpus"]
    return block


def _attributes(docs: list[Doc]) -> list[str]:
    found = []
    for name, columns in _KEPT.items():
        if any(doc.has_annotation(name) for doc in docs):
            found += columns
    return found
