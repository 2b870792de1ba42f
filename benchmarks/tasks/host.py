"""What spaCy itself takes: `spacy train`, its memory, reading and writing Docs."""

import warnings
from math import ceil
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import spacy
from spacy.attrs import NORM, ORTH, PREFIX, SHAPE, SUFFIX, TAG
from spacy.cli.train import train

from ..clock import seconds as clock
from ..corpora import BenchCorpus, read_sentences
from . import idle  # noqa: F401 - registers its factory
from .docs import copies, read_docs
from .pipelines import BATCH_SIZE, pipeline_config


def spacy_train(
    *, corpus: BenchCorpus, kind: str, epochs: int, limit: int = 0
) -> dict[str, Any]:
    """`spacy train` with one evaluation an epoch, and its checkpoints."""
    n = len(read_sentences(corpus.train, limit=limit))
    config = pipeline_config(
        kind,
        corpus,
        epochs=epochs,
        limit=limit,
        eval_frequency=ceil(n / BATCH_SIZE),
    )
    with TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(scratch) / "config.cfg"
        config.to_disk(path)
        start, wall = clock(), perf_counter()
        train(path, Path(scratch) / "output")
        return {
            "seconds": clock() - start,
            "wall_seconds": perf_counter() - wall,
        }


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


def nothing(*, corpus: BenchCorpus, passes: int) -> dict[str, Any]:
    """Tokens a second through `nlp.pipe` with a component that does nothing."""
    nlp = spacy.blank("en")
    nlp.add_pipe("latperc_bench_idle", config={"scorer": None})
    docs = read_docs(nlp, corpus, inputs=["tag"])
    tokens = sum(map(len, docs))
    seconds = []
    for _ in range(passes):
        ready = copies(docs)
        start = clock()
        for _ in nlp.pipe(ready):
            pass
        seconds.append(clock() - start)
    return {"rate": tokens / median(seconds)}
