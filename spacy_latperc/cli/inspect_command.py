"""`latperc inspect` and `latperc explain`: look inside a model."""

from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import srsly
import typer
from spacy.language import Language
from spacy.tokens import Doc
from wasabi import msg

from ..data.configured import block_examples, corpus_block
from ..errors import Errors, Warnings
from ..explain.explanation import Explanation
from ..io.jsonl import write_json
from ..io.pipelines import annotate_before, choose_component, load_pipeline
from ..pipeline.chain_pipe import ChainPipe
from ..report.page import NAMES
from . import latperc_cli
from .failures import failures_shown
from .groups import LOOK
from .options import Code, Figures, TrainedPipeline, WhichComponent

_MOST_DOCS = 20_000


@latperc_cli.command("inspect", rich_help_panel=LOOK)
def inspect_cli(
    model: TrainedPipeline,
    corpus: str = typer.Argument(
        "",
        help="Data with the texts of features, of which a model has hashes only; by "
        "default names.json beside the model, or the training data",
    ),
    component: WhichComponent = None,
    n: int = typer.Option(10, "--top", "-n", help="Features for each label", min=1),
    json_path: Figures = None,
    code: Code = None,
) -> None:
    """
    Show what a model has learned.

    The features with the largest weights for and against each label, and the weights
    of the transitions between labels.
    """
    with failures_shown():
        nlp = load_pipeline(model)
        pipe = choose_chain(nlp, component)
        found = pipe.top_features(n=n)
        if (names := Path(model).parent / NAMES).exists() and not corpus:
            texts = srsly.read_json(names)
            found = found.named({int(key, 16): text for key, text in texts.items()})
        named = sum(map(bool, found.names.values()))
        if corpus or named < 0.9 * len(found.names) or pipe.learner.latent > 1:
            found = pipe.top_features(_docs(nlp, pipe, corpus), n)
        if json_path:
            write_json(json_path, asdict(found))
    for label, both in found.features.items():
        if not any(both):
            continue
        msg.divider(label)
        rows = [
            (x.text or f"#{x.key:x}", f"{x.weight:+.3f}")
            for features in both
            for x in features
        ]
        msg.table(rows, aligns=("l", "r"), max_col=100)
    if found.transitions:
        msg.divider("transitions")
        shown = [*found.transitions[:n], *found.transitions[-n:]]
        rows = [(f"{x.before} {x.label}", f"{x.weight:+.3f}") for x in shown]
        msg.table(rows, aligns=("l", "r"), max_col=100)
    for label, states in found.states.items():
        msg.divider(f"latent states of {label}")
        rows = [(str(k), " ".join(words)) for k, words in enumerate(states, 1)]
        msg.table(rows, max_col=100)
    msg.text(f"{found.n_features:,} features")


@latperc_cli.command("explain", rich_help_panel=LOOK)
def explain_cli(
    model: TrainedPipeline,
    text: str = typer.Argument(..., help="The text"),
    token: int | None = typer.Option(None, "--token", "-t", help="Number of a token"),
    label: str | None = typer.Option(None, "--label", "-l", help="The other label"),
    component: WhichComponent = None,
    n: int = typer.Option(8, "--top", "-n", help="Features for each token", min=1),
    json_path: Figures = None,
    code: Code = None,
) -> None:
    """
    Show why the tokens of a text have their labels.

    Compares the best analysis with the best one that has another label: the features,
    the transitions and the other features add up to the gap between their scores. Of a
    judge it shows the evidence whose parts add up to the score of a sentence. By
    default all tokens with a label are compared with the runner-up.
    """
    with failures_shown():
        nlp = load_pipeline(model)
        pipe = _choose(nlp, component, lambda x: hasattr(x, "explain"))
        doc = annotate_before(nlp, pipe.name, nlp.make_doc(text))
        chain = isinstance(pipe, ChainPipe)
        why = pipe.explain(doc, token, label) if chain else pipe.explain(doc)
        found = [why] if isinstance(why, Explanation) else list(why)
        if json_path:
            write_json(json_path, {"explanations": [asdict(x) for x in found]})
    header = ("feature", "token", "weight") if chain else ("evidence", "value", "part")
    for explained in found:
        msg.divider(explained.title)
        rows = [(*row[:2], f"{row[2]:+.3f}") for row in explained.rows(n)]
        msg.table(rows, header=header, aligns=("l", "l", "r"), max_col=100)


def choose_chain(nlp: Language, name: str | None) -> ChainPipe:
    """Return the component to look into."""
    pipe: ChainPipe = _choose(nlp, name, lambda x: isinstance(x, ChainPipe))
    return pipe


def _choose(nlp: Language, name: str | None, fits: Callable[[Any], bool]) -> Any:
    chosen, known = choose_component(nlp, name, fits)
    if chosen is None:
        raise ValueError(Errors.LP866.format(known=known))
    return nlp.get_pipe(chosen)


def _docs(nlp: Language, pipe: ChainPipe, corpus: str) -> Iterable[Doc]:
    """Yield the Docs of a corpus, annotated by the components before this one."""
    config = nlp.config.interpolate()
    block = corpus_block(config, corpus or "corpora.train")
    train = config["paths"].get("train")
    if not corpus and not (train and Path(train).exists()):
        msg.warn(Warnings.LP938.format(path=train))
        return
    for number, example in enumerate(block_examples(nlp, block)):
        if number == _MOST_DOCS:
            return
        yield annotate_before(nlp, pipe.name, example.predicted)
