"""Ready Docs and Examples, and what a learner makes of them: what is timed."""

from collections.abc import Sequence
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_latperc.data.corpus import column_corpus

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


def copies(docs: Sequence[Doc]) -> list[Doc]:
    """Fresh Docs, since a pipeline annotates those that it is given."""
    return [doc.copy() for doc in docs]
