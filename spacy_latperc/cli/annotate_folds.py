"""`spacy latperc annotate --folds`: held-out predictions of a corpus."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import load_config
from typer.core import TyperCommand
from wasabi import msg

from ..data.configured import Block, block_examples, corpus_block
from ..errors import Errors
from ..io.docbin import SUFFIX, write_docs
from ..io.outputs import check_target
from ..pipeline.learner_pipe import LearnerPipe
from ..training.jackknife import READER, jackknife, untrained_pipeline, with_answers
from .failures import config_overrides, failures_shown
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


# Where entities and chunks go in doc.spans, beside the gold ones.
KEY = "first"


class WithFolds(TyperCommand):
    """A command that takes settings of a config too if it has the option --folds."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Let settings through, as further arguments."""
        if any(word.partition("=")[0] == "--folds" for word in args):
            ctx.ignore_unknown_options = True
        return super().parse_args(ctx, args)


def annotate_by_folds(
    config_path: str,
    settings: Sequence[str],
    corpus: str | None,
    target: str | None,
    component: str | None,
    folds: int,
) -> None:
    """Write a corpus with predictions of models that have not seen it.

    Args:
        config_path: The config that the models are trained with.
        settings: Its settings that are overridden.
        corpus: A corpus of the config or a file; the training corpus by default.
        target: The .spacy file to write.
        component: The names of the components that annotate, separated by commas; the
            first of the pipeline by default.
        folds: The number of models.
    """
    with failures_shown(Path(config_path)):
        overrides = config_overrides(settings)
        config = load_config(config_path, overrides=overrides, interpolate=False)
        output = Path(target or "")
        if output.suffix != SUFFIX:
            path = target or "--output"
            raise ValueError(Errors.LP351.format(path=path, wanted=SUFFIX))
        check_target(output, suffixes=[SUFFIX])
        nlp = untrained_pipeline(config)
        names = [x.strip() for x in (component or "").split(",") if x.strip()]
        names = names or nlp.pipe_names[:1] or [""]
        block = _plain_block(nlp.config.interpolate(), corpus)
        examples = list(block_examples(nlp, block))
        answers = jackknife(nlp, names, examples, folds=folds)
        pipes = [nlp.get_pipe(name) for name in names]
        written = [pipe.written for pipe in pipes if isinstance(pipe, LearnerPipe)]
        docs = [
            with_answers(example, doc, written, KEY)
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


def _plain_block(config: dict, corpus: str | None) -> Block:
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
