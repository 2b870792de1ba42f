"""One learner from features to F1, on the templates and labels of CRFsuite's runs."""

from typing import Any

import spacy

from spacy_latperc.pipeline.chain import ChainPipe

from ..clock import seconds as clock
from ..corpora import BenchCorpus, read_sentences
from .docs import base_model, learned_from, read_examples
from .evaluation import chunk_f1, keep


def ours(
    *,
    corpus: BenchCorpus,
    learner: dict[str, Any],
    epochs: int,
    limit: int = 0,
    types: list[str] | None = None,
    model: dict[str, Any] | None = None,
    edges: bool = False,
    scheme: str = "IOB2",
) -> dict[str, Any]:
    """Seconds of each epoch, and F1 after the last.

    types: keep only these chunks.
    model: settings of the model beside the learner (latent, search, features).
    edges: conjoin every observation with two labels as well.
    """
    nlp = spacy.blank("en")
    block = {**base_model(learner, edges=edges), **(model or {})}
    settings = {"scheme": scheme, "model": block}
    component: ChainPipe = nlp.add_pipe("latperc_chunker", config=settings)
    train = read_examples(nlp, corpus, types=types, limit=limit)
    blocks, gold = learned_from(nlp, component, train)
    seconds = []
    for _ in range(epochs):
        start = clock()
        component.learner.update(blocks, gold)
        seconds.append(clock() - start)
    test = read_examples(nlp, corpus, part="test", types=types)
    found = [
        [(span.start, span.end, span.label_) for span in doc.spans["chunks"]]
        for doc in nlp.pipe(example.predicted for example in test)
    ]
    return {
        "epoch_seconds": seconds,
        "seconds": sum(seconds),
        "f1": chunk_f1(
            [keep(labels, types) for _, _, labels in read_sentences(corpus.test)], found
        ),
    }
