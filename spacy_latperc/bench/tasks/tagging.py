"""Tagging on our side: the kernel alone, and through nlp.pipe."""

from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import spacy

from ...components.base import ChainPipe
from ..corpora import BenchCorpus
from .docs import copies, read_docs


def kernel(*, corpus: BenchCorpus, model: str, passes: int) -> dict[str, Any]:
    """Tokens a second of the search, attributes given as arrays of ids."""
    nlp = spacy.load(model)
    component: ChainPipe = nlp.get_pipe("component")
    learner = component.learner
    batch = component.reader.read(read_docs(nlp, corpus, inputs=["tag"]))
    attributes = learner.space.assemble(batch.values, batch.lookup)
    bounds, _ = learner.bounds(batch.values, batch.docs)
    frozen = learner.freeze()
    seconds = []
    for _ in range(passes + 1):
        start = perf_counter()
        frozen.decode(learner.space, attributes, bounds)
        seconds.append(perf_counter() - start)
    tokens = len(batch.values)
    return {
        "first_rate": tokens / seconds[0],
        "rate": tokens / median(seconds[1:]),
        "labels": len(learner.labels),
    }


def pipe(
    *, corpus: BenchCorpus, model: str, inputs: list[str], passes: int
) -> dict[str, Any]:
    """Tokens a second from ready Docs to annotated ones; copying is not counted."""
    nlp = spacy.load(model)
    docs = read_docs(nlp, corpus, inputs=inputs)
    seconds = []
    for _ in range(passes + 1):
        ready = copies(docs)
        start = perf_counter()
        for _doc in nlp.pipe(ready):
            pass
        seconds.append(perf_counter() - start)
    tokens = sum(map(len, docs))
    return {
        "first_rate": tokens / seconds[0],
        "rate": tokens / median(seconds[1:]),
        "labels": len(nlp.get_pipe("component").learner.labels),
    }


def load(*, model: str, passes: int) -> dict[str, Any]:
    """Milliseconds from the bytes of a saved model to one that is ready to predict."""
    nlp = spacy.load(model)
    data = (Path(model) / "component" / "model").read_bytes()
    component: ChainPipe = nlp.get_pipe("component")
    seconds = []
    for _ in range(passes):
        start = perf_counter()
        component.model.from_bytes(data)
        seconds.append(perf_counter() - start)
    return {
        "milliseconds": 1000 * median(seconds),
        "model_mb": len(data) / 1e6,
        "small_model_mb": len(component.learner.to_bytes(bits=16)) / 1e6,
    }
