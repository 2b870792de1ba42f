"""The share of spaCy itself: its memory, reading and writing Docs."""

from statistics import median
from typing import Any

import spacy
from spacy.attrs import NORM, ORTH, PREFIX, SHAPE, SUFFIX, TAG

from ..clock import seconds as clock
from ..corpora import BenchCorpus
from .docs import copies, read_docs


def start_up() -> dict[str, Any]:
    """An empty pipeline: the memory that everything in spaCy starts from."""
    spacy.blank("en")
    return {}


def floor(*, corpus: BenchCorpus, passes: int) -> dict[str, Any]:
    """Tokens a second of a component that reads six attributes and writes one."""
    attributes = [ORTH, NORM, PREFIX, SUFFIX, SHAPE, TAG]
    docs = read_docs(spacy.blank("en"), corpus, inputs=["tag"])
    tokens = sum(map(len, docs))
    seconds = []
    for _ in range(passes):
        ready = copies(docs)
        start = clock()
        for doc in ready:
            column = doc.to_array(attributes)[:, 5].copy()
            doc.from_array([TAG], column)
        seconds.append(clock() - start)
    return {"rate": tokens / median(seconds)}
