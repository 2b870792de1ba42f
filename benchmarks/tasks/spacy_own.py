"""spaCy's own tagger and entity recogniser with their default network, on the CPU."""

import random
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.training import Example
from spacy.util import compounding, fix_random_seed, minibatch

from ..clock import seconds as clock
from ..corpora import BenchCorpus
from ..machine import peak_memory
from .docs import read_examples


def train(
    *, corpus: BenchCorpus, component: str, passes: int, limit: int, output: str
) -> dict[str, Any]:
    """From the file to the saved pipeline; words alone are read.

    component: "tagger" or "ner".
    """
    start = clock()
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe(component, name="component")
    learn(nlp, read_examples(nlp, corpus, inputs=[], limit=limit), passes)
    nlp.to_disk(output)
    return {"seconds": clock() - start, "peak_mb": peak_memory()}


def learn(nlp: Language, examples: list[Example], passes: int) -> None:
    """Initialize a pipeline and train it in batches that grow; shuffles the list."""
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(passes):
        random.shuffle(examples)
        for batch in minibatch(examples, compounding(4.0, 64.0, 1.001)):
            nlp.update(batch, sgd=optimizer, drop=0.1)


def score(*, corpus: BenchCorpus, model: str) -> dict[str, Any]:
    """Score any tagger or recogniser by spaCy's scorers, ours too, on the test part,
    in per cent; and the megabytes of all its files."""
    nlp = spacy.load(model)
    scores = nlp.evaluate(read_examples(nlp, corpus, part="test", inputs=[]))
    files = [path for path in Path(model).rglob("*") if path.is_file()]
    return {
        "score": 100 * scores.get("tag_acc", scores.get("ents_f")),
        "model_mb": sum(path.stat().st_size for path in files) / 1e6,
    }
