"""The k best label sequences beside the best one: attributes in, labels out."""

from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import spacy

from spacy_latperc.data.corpus import column_corpus
from spacy_latperc.pipeline.chain import ChainPipe

from ..clock import seconds as clock
from ..corpora import BenchCorpus
from .docs import read_docs


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
    model = {
        "@architectures": "spacy_latperc.ChainModel.v1",
        "features": {"@misc": "spacy_latperc.BaseChunkingFeatures.v1", "edges": edges},
        "search": {"@misc": "spacy_latperc.Viterbi.v1"},
        "learner": {"@misc": "spacy_latperc.Perceptron.v1"},
    }
    component: ChainPipe = nlp.add_pipe(
        "latperc_chunker", config={"scheme": "IOB2", "model": model}
    )
    reader = column_corpus(
        Path(corpus.train),
        list(corpus.columns),
        inputs=["tag"],
        repair=True,
        keep_types=types,
        limit=limit,
    )
    examples = list(reader(nlp))
    nlp.initialize(lambda: examples)
    prepared = component.prepare(examples)
    learner = component.learner
    for _ in range(5):
        learner.update(
            [x for x, _ in prepared], np.concatenate([y for _, y in prepared])
        )

    docs = read_docs(nlp, corpus, inputs=["tag"])
    batch = component.reader.read(docs)
    bounds, _ = learner.bounds(batch.values, batch.docs)
    attrs = learner.space.assemble(batch.values, batch.lookup)
    frozen = learner.freeze()
    best = _timer(lambda: frozen.decode(learner.space, attrs, bounds))
    several = _timer(lambda: frozen.kbest(learner.space, attrs, bounds, k))
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
