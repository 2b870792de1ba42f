"""Parsers: learning, and from ready Docs to trees."""

from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import spacy
from spacy.training import Example

from spacy_latperc.data.corpus import conllu_corpus

from ..clock import seconds as clock
from ..machine import peak_memory
from .docs import copies

BATCH = 32
TAGGERS = {"tagger": "tag", "morph": "morph"}


def train(
    *, treebank: str, passes: int, limit: int, tagged: bool, output: str
) -> dict[str, Any]:
    """Learn to parse with a beam of 8 and gold tags.

    Args:
        treebank: The file.
        passes: The epochs of the parser; taggers have three.
        limit: The number of sentences, all when 0.
        tagged: Put taggers before the parser, whose features it reads too.
        output: Where the pipeline is saved.
    """
    nlp = spacy.blank("en")
    for name, attribute in TAGGERS.items() if tagged else ():
        nlp.add_pipe("latperc_tagger", name=name, config={"attribute": attribute})
    features: dict[str, Any] = {"@misc": "spacy_latperc.ParserFeatures.v1"}
    if tagged:
        features["second_tag"] = "morph"
    nlp.add_pipe("latperc_parser", "parser", config={"model": {"features": features}})
    inputs = list(TAGGERS.values())
    examples = read_trees(nlp, treebank, inputs=inputs, limit=limit)
    nlp.initialize(lambda: examples)
    seconds = 0.0
    for name, pipe in nlp.pipeline:
        prepared = pipe.prepare(examples)
        order = np.random.default_rng(0)
        start = clock()
        for _ in range(passes if name == "parser" else min(passes, 3)):
            shuffled = [prepared[i] for i in order.permutation(len(prepared))]
            for at in range(0, len(shuffled), BATCH):
                blocks, gold = zip(*shuffled[at : at + BATCH], strict=True)
                pipe.learn(list(blocks), np.concatenate(gold))
        seconds = clock() - start
    nlp.to_disk(output)
    model = Path(output) / "parser" / "model"
    return {
        "learn_seconds": seconds,
        "peak_mb": peak_memory(),
        "model_mb": model.stat().st_size / 1e6,
    }


def pipe(
    *, treebank: str, model: str, width: int, inputs: list[str], passes: int
) -> dict[str, Any]:
    """Tokens a second from ready Docs to annotated ones; copying is not counted."""
    search = {"components.parser.model.search.width": width}
    nlp = spacy.load(model, config=search)
    docs = [x.predicted for x in read_trees(nlp, treebank, inputs=inputs)]
    list(nlp.pipe(copies(docs)))
    seconds = []
    for _ in range(passes):
        fresh = copies(docs)
        start = clock()
        list(nlp.pipe(fresh))
        seconds.append(clock() - start)
    return {"rate": sum(map(len, docs)) / median(seconds)}


def read_trees(
    nlp: spacy.Language, path: str, *, inputs: list[str], limit: int = 0
) -> list[Example]:
    """One Example per sentence."""
    reader = conllu_corpus(Path(path), inputs=inputs, limit=limit)
    return list(reader(nlp))
