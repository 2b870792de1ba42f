"""One learner from features to F1, on the templates and labels of CRFsuite's runs."""

from typing import Any

import spacy

from spacy_latperc.pipeline.chain_pipe import ChainPipe

from ..clock import seconds as clock
from ..corpora import BenchCorpus, read_sentences
from .docs import base_model, learned_from, read_examples
from .evaluation import chunk_f1


def ours(
    *,
    corpus: BenchCorpus,
    learner: dict[str, Any],
    epochs: int,
    limit: int = 0,
    model: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Seconds of each epoch, and F1 after the last.

    model: further settings of the model (latent, search, features).
    """
    nlp = spacy.blank("en")
    settings = {"scheme": "IOB2", "model": {**base_model(learner), **(model or {})}}
    component: ChainPipe = nlp.add_pipe("latperc_chunker", config=settings)
    train = read_examples(nlp, corpus, limit=limit)
    blocks, gold = learned_from(nlp, component, train)
    seconds = []
    for _ in range(epochs):
        start = clock()
        component.learner.update(blocks, gold)
        seconds.append(clock() - start)
    test = read_examples(nlp, corpus, part="test")
    found = [
        [(span.start, span.end, span.label_) for span in doc.spans["chunks"]]
        for doc in nlp.pipe(example.predicted for example in test)
    ]
    return {
        "epoch_seconds": seconds,
        "seconds": sum(seconds),
        "f1": chunk_f1([labels for _, _, labels in read_sentences(corpus.test)], found),
    }
