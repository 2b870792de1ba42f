"""Ready Docs: what a pipeline is timed on."""

from collections.abc import Sequence
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc

from ...data.corpus import column_corpus
from ..corpora import BenchCorpus


def read_docs(nlp: Language, corpus: BenchCorpus, *, inputs: list[str]) -> list[Doc]:
    """One Doc per sentence of the test file, with its inputs and nothing else."""
    reader = column_corpus(Path(corpus.test), list(corpus.columns), inputs=inputs)
    return [example.predicted for example in reader(nlp)]


def copies(docs: Sequence[Doc]) -> list[Doc]:
    """Fresh Docs, since a pipeline annotates those that it is given."""
    return [doc.copy() for doc in docs]
