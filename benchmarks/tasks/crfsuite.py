"""CRFsuite's averaged perceptron, trained and applied as its Python users do it."""

from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from pycrfsuite import ItemSequence, Tagger, Trainer

from spacy_latperc.schemes import read_spans

from ..clock import seconds as clock
from ..corpora import BenchCorpus, read_sentences
from ..machine import peak_memory
from .base_items import base_items
from .evaluation import chunk_f1


def train(
    *, corpus: BenchCorpus, epochs: int, limit: int = 0, output: str
) -> dict[str, Any]:
    """From file to saved model: read, make features, hand them over, learn, write."""
    wall = perf_counter()
    start = clock()
    sentences = read_sentences(corpus.train, limit=limit)
    read = clock()
    trainer = Trainer("ap", {"max_iterations": epochs}, verbose=False)
    in_python = 0.0
    for words, tags, labels in sentences:
        begin = clock()
        items = base_items(words, tags)
        in_python += clock() - begin
        trainer.append(items, labels)
    appended = clock()
    trainer.train(output)
    end = clock()
    result = {
        "wall_seconds": perf_counter() - wall,
        "seconds": end - start,
        "read_seconds": read - start,
        "features_seconds": in_python,
        "append_seconds": appended - read - in_python,
        "learn_seconds": end - appended,
        "epoch_seconds": [epoch["time"] for epoch in trainer.logparser.iterations],
        "peak_mb": peak_memory(),
        "model_mb": Path(output).stat().st_size / 1e6,
    }
    return {**result, "f1": _f1(output, corpus)}


def _f1(model: str, corpus: BenchCorpus) -> float:
    tagger = open_tagger(model)
    sentences = read_sentences(corpus.test)
    found = [
        read_spans(tagger.tag(base_items(words, tags))) for words, tags, _ in sentences
    ]
    return chunk_f1([labels for _, _, labels in sentences], found)


def tag(*, corpus: BenchCorpus, model: str, passes: int) -> dict[str, Any]:
    """Tokens a second: the library alone, its items ready; from lists of strings."""
    tagger = open_tagger(model)
    sentences = [(words, tags) for words, tags, _ in read_sentences(corpus.test)]
    ready = [ItemSequence(base_items(words, tags)) for words, tags in sentences]
    tokens = sum(len(words) for words, _ in sentences)
    library = []
    whole = []
    for _ in range(passes):
        start = clock()
        for sequence in ready:
            tagger.tag(sequence)
        between = clock()
        for words, tags in sentences:
            tagger.tag(base_items(words, tags))
        library.append(between - start)
        whole.append(clock() - between)
    return {
        "library_rate": tokens / median(library),
        "end_to_end_rate": tokens / median(whole),
    }


def open_tagger(model: str) -> Tagger:
    tagger = Tagger()
    tagger.open(model)
    return tagger
