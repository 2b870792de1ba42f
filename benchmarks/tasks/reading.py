"""Reading a training corpus: a column file, and the same as a .spacy file."""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import spacy
from spacy.attrs import ORTH, TAG
from spacy.vocab import Vocab

from spacy_latperc.data.columns import read_columns
from spacy_latperc.data.corpus import ColumnExamples, column_corpus
from spacy_latperc.io.docbin import read_docs, write_docs
from spacy_latperc.io.garbage import rare_collections

from ..clock import seconds as clock
from ..corpora import BenchCorpus

READ = [ORTH, TAG]  # of predicted Docs, as base templates do


@rare_collections()
def corpora(*, corpus: BenchCorpus, limit: int = 0) -> dict[str, Any]:
    """Microseconds a token, of words that the vocabulary knows: spaCy takes most of its
    time for new ones."""
    path, columns = Path(corpus.train), list(corpus.columns)
    nlp = spacy.blank("en")
    reader = column_corpus(path, columns, inputs=["tag"], repair=True, limit=limit)
    references = [example.reference for example in reader(nlp)]
    tokens = sum(map(len, references))
    start = clock()
    table = read_columns(path, columns)
    parsing = (clock() - start) / table.n_tokens
    shared = reader(nlp)
    assert isinstance(shared, ColumnExamples)
    start = clock()
    shared.sample()
    sample = (clock() - start) / tokens
    shared.share_docs(READ)
    found = {
        "examples": _seconds(reader(nlp)) / tokens,
        "shared": _seconds(shared) / tokens,
        **_docbin(references, nlp.vocab, tokens),
    }
    found |= {"parsing": parsing, "sample": sample}
    return {name: 1e6 * seconds for name, seconds in found.items()}


def _docbin(docs: list, vocab: Vocab, tokens: int) -> dict[str, float]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "train.spacy"
        write_docs(docs, path, attributes=["TAG"])
        return {"docbin": _seconds(read_docs(path, vocab)) / tokens}


def _seconds(items: Iterable) -> float:
    start = clock()
    for _ in items:
        pass
    return clock() - start
