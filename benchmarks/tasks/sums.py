"""How long a saved model takes to answer with sums."""

from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import spacy

from spacy_latperc.kernels.chains import Question
from spacy_latperc.pipeline.chain_pipe import ChainPipe

from ..clock import seconds as clock
from ..corpora import BenchCorpus
from .docs import read_docs


def questions(*, corpus: BenchCorpus, model: str, passes: int) -> dict[str, Any]:
    """Seconds a token of each question about the test text, seen once before."""
    nlp = spacy.load(model)
    component = nlp.get_pipe("component")
    assert isinstance(component, ChainPipe)
    docs = read_docs(nlp, corpus, inputs=["tag"])
    batch = component.reader.read(docs)
    learner = component.learner
    space, frozen = learner.space, learner.freeze()
    bounds = batch.bounds
    asked = Question(space, space.assemble(batch.values, batch.lookup), bounds)
    labels = frozen.decode(asked)
    inventory = component.coder.inventory
    chunks = inventory.decode_ids(labels, bounds)
    starts, ends, types = (np.ascontiguousarray(x) for x in chunks)
    tables = (inventory.type_of, inventory.boundary.astype(np.uint8))
    spans = (starts.astype(np.int64), ends.astype(np.int64), types.astype(np.int32))
    answers: dict[str, Callable[[], Any]] = {
        "decode": lambda: frozen.decode(asked),
        "marginals": lambda: frozen.marginals(asked),
        "max_marginals": lambda: frozen.max_marginals(asked),
        "log_scores": lambda: frozen.log_scores(asked, labels),
        "span_probabilities": lambda: frozen.span_probabilities(asked, *spans, *tables),
    }
    result: dict[str, Any] = {"labels": len(learner.labels)}
    for name, ask in answers.items():
        ask()
        taken = []
        for _ in range(passes):
            start = clock()
            ask()
            taken.append(clock() - start)
        result[name] = median(taken) / len(labels)
    return result
