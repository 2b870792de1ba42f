"""One short text at a time, and the time from nothing to a first answer."""

from statistics import median
from typing import Any

import spacy
from spacy.tokens import Doc

from ..clock import seconds as clock
from ..corpora import BenchCorpus, short_texts
from .docs import copies, read_docs

FIRST = 50  # texts of a process that has just loaded its model


def single(
    *, corpus: BenchCorpus, model: str, inputs: list[str], passes: int
) -> dict[str, Any]:
    """Microseconds of a call with a Doc of about ten tokens, and with its text;
    milliseconds until the model is there and a first text is annotated."""
    start = clock()
    nlp = spacy.load(model)
    loading = clock() - start
    component = nlp.get_pipe("component")
    short = short_texts(read_docs(nlp, corpus, inputs=inputs))
    first = copies(short[:FIRST])
    cold = [_time(component, doc) for doc in first]
    calls, whole = [], []
    for _ in range(passes):
        ready = copies(short)
        start = clock()
        for doc in ready:
            component(doc)
        calls.append((clock() - start) / len(ready))
        start = clock()
        for doc in ready:
            nlp(doc.text)
        whole.append((clock() - start) / len(ready))
    return {
        "call": 1e6 * median(calls),
        "text": 1e6 * median(whole),
        "cold": 1e6 * median(cold),
        "load": 1e3 * loading,
        "first": 1e3 * cold[0],
    }


def _time(component: Any, doc: Doc) -> float:
    start = clock()
    component(doc)
    return clock() - start
