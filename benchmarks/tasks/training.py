"""Training on our side: from file to saved model, and the kernel alone."""

from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import spacy
from spacy.language import Language

from spacy_latperc.pipeline.chain_pipe import ChainPipe
from spacy_latperc.training.fit import fit

from ..clock import seconds as clock
from ..corpora import BenchCorpus, read_sentences
from ..machine import peak_memory
from .docs import read_docs, read_examples
from .evaluation import chunk_f1
from .pipelines import COMPONENTS, pipeline_config


def direct(
    *,
    corpus: BenchCorpus,
    kind: str = "base chunker",
    epochs: int,
    limit: int = 0,
    output: str | None = None,
) -> dict[str, Any]:
    """Read the file, train and save the pipeline, as `spacy latperc fit` does."""
    config = pipeline_config(kind, corpus, epochs=epochs, limit=limit)
    with TemporaryDirectory() as scratch:
        folder = Path(output or scratch)
        start, wall = clock(), perf_counter()
        nlp = fit(config)
        nlp.to_disk(folder)
        result = {
            "seconds": clock() - start,
            "wall_seconds": perf_counter() - wall,
            "peak_mb": peak_memory(),
        }
        result["model_mb"] = (folder / "component" / "model").stat().st_size / 1e6
    if kind == "base chunker":
        result["f1"] = _f1(nlp, corpus)
    return result


def _f1(nlp: Language, corpus: BenchCorpus) -> float:
    docs = nlp.pipe(read_docs(nlp, corpus, inputs=["tag"]))
    found = [
        [(span.start, span.end, span.label_) for span in doc.spans["chunks"]]
        for doc in docs
    ]
    return chunk_f1([labels for _, _, labels in read_sentences(corpus.test)], found)


def kernel(
    *,
    corpus: BenchCorpus,
    epochs: int,
    limit: int = 0,
) -> dict[str, Any]:
    """Learning alone: features and gold labels are there before the clock starts."""
    nlp = spacy.blank("en")
    settings = dict(COMPONENTS["base chunker"])
    component: ChainPipe = nlp.add_pipe(settings.pop("factory"), config=settings)
    examples = read_examples(nlp, corpus, limit=limit)
    nlp.initialize(lambda: examples)
    start = clock()
    prepared = component.prepare(examples)
    preparing = clock() - start
    blocks = [block for block, _ in prepared]
    gold = np.concatenate([labels for _, labels in prepared])
    learner = component.learner
    seconds = []
    for _ in range(epochs):
        start = clock()
        learner.update(blocks, gold)
        seconds.append(clock() - start)
    return {
        "epoch_seconds": seconds,
        "prepare_seconds": preparing,
        "tokens": len(gold),
        "labels": len(learner.labels),
        "features": learner.space.n_features,
        "rows": sum(learner.freeze().n_rows),
    }
