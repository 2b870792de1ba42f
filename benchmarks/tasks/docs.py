"""Ready Docs: what a pipeline is timed on."""

from collections.abc import Sequence
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc

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


def copies(docs: Sequence[Doc]) -> list[Doc]:
    """Fresh Docs, since a pipeline annotates those that it is given."""
    return [doc.copy() for doc in docs]
