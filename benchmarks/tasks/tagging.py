"""Tagging on our side: the search alone, and through nlp.pipe.

A frozen model remembers sums of rows, so text that it has just seen is tagged faster.
`rate` is therefore that of text that is new to it, after it has tagged some other text;
`repeated_rate` that of the same text again.
"""

from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import spacy

from spacy_latperc.kernels.chains import Question
from spacy_latperc.pipeline.chain_pipe import ChainPipe

from ..clock import seconds as clock
from ..corpora import BenchCorpus
from .docs import copies, read_docs

WARM_UP = 2000  # sentences of other text


def kernel(*, corpus: BenchCorpus, model: str, passes: int) -> dict[str, Any]:
    """Tokens a second of the search, attributes given as arrays of ids."""
    nlp = spacy.load(model)
    component: ChainPipe = nlp.get_pipe("component")
    space = component.learner.space

    def arrays(part: str, limit: int) -> tuple:
        docs = read_docs(nlp, corpus, inputs=["tag"], part=part, limit=limit)
        batch = component.reader.read(docs)
        bounds = batch.bounds
        return space.assemble(batch.values, batch.lookup), bounds

    others = arrays("train", WARM_UP)
    texts = arrays("test", 0)

    def search(attributes: Any, bounds: Any) -> float:
        frozen = component.learner.freeze()
        start = clock()
        frozen.decode(Question(space, attributes, bounds))
        return clock() - start

    rates = _rates(
        component,
        len(texts[0]),
        passes,
        warm_up=lambda: search(*others),
        measure=lambda: search(*texts),
    )
    return {**rates, "labels": len(component.learner.labels)}


def pipe(
    *, corpus: BenchCorpus, model: str, inputs: list[str], passes: int
) -> dict[str, Any]:
    """Tokens a second from ready Docs to annotated ones; copying is not counted."""
    nlp = spacy.load(model)
    component: ChainPipe = nlp.get_pipe("component")
    others = read_docs(nlp, corpus, inputs=inputs, part="train", limit=WARM_UP)
    docs = read_docs(nlp, corpus, inputs=inputs)

    def annotate(given: list) -> float:
        ready = copies(given)
        start = clock()
        for _ in nlp.pipe(ready):
            pass
        return clock() - start

    return _rates(
        component,
        sum(map(len, docs)),
        passes,
        warm_up=lambda: annotate(others),
        measure=lambda: annotate(docs),
    )


def _rates(
    component: ChainPipe,
    tokens: int,
    passes: int,
    *,
    warm_up: Callable[[], float],
    measure: Callable[[], float],
) -> dict[str, float]:
    data = component.model.to_bytes()
    fresh = []
    repeated = []
    for _ in range(passes):
        component.model.from_bytes(data)
        warm_up()
        fresh.append(measure())
        repeated.append(measure())
    return {
        "rate": tokens / median(fresh),
        "repeated_rate": tokens / median(repeated),
    }


def load(*, model: str, passes: int) -> dict[str, Any]:
    """Milliseconds from the bytes of a saved model to one that is ready to predict."""
    nlp = spacy.load(model)
    data = (Path(model) / "component" / "model").read_bytes()
    component: ChainPipe = nlp.get_pipe("component")
    seconds = []
    for _ in range(passes):
        start = clock()
        component.model.from_bytes(data)
        seconds.append(clock() - start)
    return {
        "milliseconds": 1000 * median(seconds),
        "model_mb": len(data) / 1e6,
        "small_model_mb": len(component.learner.to_bytes(bits=16)) / 1e6,
    }
