"""The k best label sequences beside the best one: attributes in, labels out."""

from collections.abc import Callable
from statistics import median
from typing import Any

import spacy

from spacy_latperc.kernels.chains import Question
from spacy_latperc.pipeline.chain import ChainPipe

from ..clock import seconds as clock
from ..corpora import BenchCorpus
from .docs import base_model, learned_from, read_docs, read_examples


def beside_best(
    *,
    corpus: BenchCorpus,
    k: int,
    passes: int,
    limit: int = 0,
    types: list[str] | None = None,
    edges: bool = False,
) -> dict[str, Any]:
    """Seconds over the test data, warm: the sums of rows that a frozen model remembers
    are there for both, so that the search weighs as much as it can.

    types: keep only these chunks.
    edges: conjoin every observation with two labels as well.
    """
    nlp = spacy.blank("en")
    model = base_model({"@misc": "spacy_latperc.Perceptron.v1"}, edges=edges)
    component: ChainPipe = nlp.add_pipe(
        "latperc_chunker", config={"scheme": "IOB2", "model": model}
    )
    examples = read_examples(nlp, corpus, types=types, limit=limit)
    blocks, gold = learned_from(nlp, component, examples)
    learner = component.learner
    for _ in range(5):
        learner.update(blocks, gold)

    docs = read_docs(nlp, corpus, inputs=["tag"])
    batch = component.reader.read(docs)
    bounds = batch.bounds
    attrs = learner.space.assemble(batch.values, batch.lookup)
    frozen = learner.freeze()
    asked = Question(learner.space, attrs, bounds)
    best = _timer(lambda: frozen.decode(asked))
    several = _timer(lambda: frozen.kbest(asked, k))
    best(), several()
    times = [(best(), several()) for _ in range(passes)]
    return {
        "best_ns": 1e9 * median(a for a, _ in times) / len(attrs),
        "kbest_ns": 1e9 * median(b for _, b in times) / len(attrs),
        "ratio": median(b / a for a, b in times),
        "labels": len(learner.labels),
    }


def _timer(ask: Callable[[], Any]) -> Callable[[], float]:
    def seconds() -> float:
        start = clock()
        ask()
        return clock() - start

    return seconds
