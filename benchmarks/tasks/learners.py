"""One learner from features to F1, on the templates and labels of CRFsuite's runs."""

from pathlib import Path
from typing import Any

import numpy as np
import spacy

from spacy_latperc.data.corpus import column_corpus
from spacy_latperc.pipeline.chain import ChainPipe

from ..clock import seconds as clock
from ..corpora import BenchCorpus, read_sentences
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
    block = {
        "@architectures": "spacy_latperc.ChainModel.v1",
        "features": {"@misc": "spacy_latperc.BaseChunkingFeatures.v1", "edges": edges},
        "search": {"@misc": "spacy_latperc.Viterbi.v1"},
        "learner": learner,
        **(model or {}),
    }
    settings = {"scheme": scheme, "model": block}
    component: ChainPipe = nlp.add_pipe("latperc_chunker", config=settings)

    def examples(path: str, most: int) -> list:
        reader = column_corpus(
            Path(path),
            list(corpus.columns),
            inputs=["tag"],
            repair=True,
            keep_types=types,
            limit=most,
        )
        return list(reader(nlp))

    train = examples(corpus.train, limit)
    nlp.initialize(lambda: train)
    prepared = component.prepare(train)
    blocks = [features for features, _ in prepared]
    gold = np.concatenate([labels for _, labels in prepared])
    seconds = []
    for _ in range(epochs):
        start = clock()
        component.learner.update(blocks, gold)
        seconds.append(clock() - start)
    test = examples(corpus.test, 0)
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
