"""NLTK's averaged perceptron tagger, as it comes."""

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from nltk.tag.perceptron import PerceptronTagger

from ..clock import seconds as clock
from ..corpora import BenchCorpus, read_sentences, short_texts
from ..machine import peak_memory
from .evaluation import tag_accuracy


def learn(
    sentences: Iterable[tuple[Sequence[str], Sequence[str]]], passes: int
) -> PerceptronTagger:
    """A tagger that has learned from these words and tags."""
    random.seed(0)
    tagger = PerceptronTagger(load=False)
    tagger.train([list(zip(*each, strict=True)) for each in sentences], nr_iter=passes)
    return tagger


def train(
    *, corpus: BenchCorpus, passes: int, limit: int, output: str
) -> dict[str, Any]:
    """From the file to the saved model."""
    start = clock()
    sentences = read_sentences(corpus.train, limit=limit)
    tagger = learn(((words, tags) for words, tags, _ in sentences), passes)
    # The same as its own function, which may not write into every folder.
    Path(output).write_text(json.dumps(tagger.encode_json_obj()), encoding="utf-8")
    return {"seconds": clock() - start, "peak_mb": peak_memory()}


def tag(*, corpus: BenchCorpus, model: str) -> dict[str, Any]:
    """Tokens a second; microseconds of a call with a short sentence; accuracy."""
    data = json.loads(Path(model).read_text(encoding="utf-8"))
    tagger = PerceptronTagger.decode_json_obj(data)
    words, tags, _ = zip(*read_sentences(corpus.test), strict=True)
    start = clock()
    found = [tagger.tag(sentence) for sentence in words]
    seconds = clock() - start
    short = short_texts(words)
    start = clock()
    for sentence in short:
        tagger.tag(sentence)
    call = (clock() - start) / len(short)
    return {
        "rate": sum(map(len, words)) / seconds,
        "call": 1e6 * call,
        "score": tag_accuracy(tags, [[tag for _, tag in x] for x in found]),
        "model_mb": Path(model).stat().st_size / 1e6,
    }
