"""Ready Docs and Examples, and what a learner makes of them: what is timed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_latperc.data.corpus import column_corpus
from spacy_latperc.pipeline.chain_pipe import ChainPipe

from ..corpora import BenchCorpus


def read_docs(
    nlp: Language,
    corpus: BenchCorpus,
    *,
    inputs: list[str],
    part: str = "test",
    limit: int = 0,
) -> list[Doc]:
    """One Doc per sentence, with its inputs and nothing else.

    part: "train" or "test"; limit: how many sentences, all when 0.
    """
    path = Path(corpus.train if part == "train" else corpus.test)
    columns = list(corpus.columns)
    reader = column_corpus(path, columns, inputs=inputs, repair=True, limit=limit)
    return [example.predicted for example in reader(nlp)]


def read_examples(
    nlp: Language,
    corpus: BenchCorpus,
    *,
    part: str = "train",
    inputs: Sequence[str] = ("tag",),
    limit: int = 0,
) -> list[Example]:
    """Sentences with their annotation.

    Args:
        nlp: The pipeline.
        corpus: Where they are from.
        part: "train" or "test".
        inputs: The annotation that is given.
        limit: The number of sentences, all when 0.
    """
    reader = column_corpus(
        Path(corpus.train if part == "train" else corpus.test),
        list(corpus.columns),
        inputs=list(inputs),
        repair=True,
        limit=limit,
    )
    return list(reader(nlp))


def learned_from(
    nlp: Language, component: ChainPipe, examples: list[Example]
) -> tuple[list[Any], NDArray[np.int32]]:
    """Initialize the pipeline: the features of the examples, and their gold labels."""
    nlp.initialize(lambda: examples)
    prepared = component.prepare(examples)
    return [x for x, _ in prepared], np.concatenate([y for _, y in prepared])


def base_model(learner: dict[str, Any]) -> dict[str, Any]:
    """A model with the templates of CRFsuite's runs."""
    return {
        "@architectures": "spacy_latperc.ChainModel.v1",
        "features": {
            "@misc": "spacy_latperc.PaperFeatures.v1",
            "name": "base_chunking",
        },
        "search": {"@misc": "spacy_latperc.Viterbi.v1"},
        "learner": learner,
    }


def copies(docs: Sequence[Doc]) -> list[Doc]:
    """Fresh Docs, since a pipeline annotates those that it is given."""
    return [doc.copy() for doc in docs]
