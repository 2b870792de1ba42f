"""A classifier of sentences in five views with exact features: how fast it answers.

Texts are numbers of words, and what stands for a tag is the last letter of a word: the
labels of chunks are latent, so that nothing else is needed.
"""

from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from spacy_latperc.features.sets import grammaticality
from spacy_latperc.grammaticality.classifier import LatentClassifier
from spacy_latperc.grammaticality.classifier.online import latent_pa
from spacy_latperc.grammaticality.classifier.views import ALL_VIEWS
from spacy_latperc.grammaticality.negatives.constructions import find_construction
from spacy_latperc.grammaticality.negatives.make import Settings, make_negatives
from spacy_latperc.kernels.text import FIRST_WORD
from spacy_latperc.learners.base import Batch
from spacy_latperc.text.lines import read_text
from spacy_latperc.text.sentences import Sentences

from ..clock import seconds as clock
from ..machine import peak_memory

LEARNED_FROM = 60_000  # sentences that the n-gram model is made of
C = 0.0001


def answering(
    *, text: str, pairs: int, answered: int, averaged: bool, passes: int
) -> dict[str, Any]:
    """Sentences a second, from attributes to scores: by the rows that learn, as between
    two updates, and by frozen ones, of text that they have not met.

    pairs: Of good and bad sentences that it learns from.
    answered: Pairs that are asked about.
    averaged: Whether weights are averaged.
    """
    sentences = read_text(Path(text))[0].slice(0, LEARNED_FROM)
    settings = Settings(find_construction("kn_m"), n=pairs + 2 * answered)
    made = make_negatives(sentences, settings)
    columns = _Columns(sentences)
    classifier = LatentClassifier(
        grammaticality(),
        latent_pa(C=C, average_from=int(averaged)),
        schemes=ALL_VIEWS,
    )

    def part(first: int, last: int) -> list[Batch]:
        both = made.positives, made.negatives
        return [columns.batch(side.slice(first, last)) for side in both]

    n = min(pairs, len(made.positives) // 2)
    last = len(made.positives)
    middle = (n + last) // 2
    classifier.start(n, n)
    blocks = [classifier.extract(batch)[0] for batch in part(0, n)]
    gold = np.repeat([1, -1], n).astype(np.int8)
    start = clock()
    classifier.update(blocks, gold)
    learned = clock()
    others = [classifier.read(batch) for batch in part(n, middle)]
    asked = [classifier.read(batch) for batch in part(middle, last)]
    few = classifier.extract(part(0, 1)[0])
    live, frozen, writing = [], [], []
    for _ in range(passes):
        classifier.update(few, np.ones(1, dtype=np.int8))
        live.append(_seconds(classifier, asked))
        start_writing = clock()
        classifier.freeze()
        writing.append(clock() - start_writing)
        _seconds(classifier, others)
        frozen.append(_seconds(classifier, asked))
    count = 2 * (last - middle)
    return {
        "sentences": count,
        "rows": sum(map(sum, classifier.n_rows)),
        "learn_rate": 2 * n / (learned - start),
        "live_rate": count / median(live),
        "frozen_rate": count / median(frozen),
        "freeze_seconds": median(writing),
        "peak_mb": peak_memory(),
    }


class _Columns:
    """Words, where sentences begin, and last letters."""

    def __init__(self, sentences: Sentences) -> None:
        vocabulary = sentences.vocabulary
        numbers = np.arange(FIRST_WORD, vocabulary.size, dtype=np.int32)
        words = [""] * FIRST_WORD + vocabulary.words_of(numbers)
        letters = sorted({word[-1:] for word in words})
        numbers_of = {letter: n for n, letter in enumerate(letters, start=1)}
        self.ends = np.array([numbers_of[word[-1:]] for word in words], dtype=np.uint64)
        self.word = vocabulary.word

    def batch(self, sentences: Sentences) -> Batch:
        values = np.zeros((len(sentences.ids), 3), dtype=np.uint64)
        values[:, 0] = sentences.ids
        values[sentences.bounds[:-1], 1] = 1
        values[:, 2] = self.ends[sentences.ids]
        docs = np.array([0, len(values)], dtype=np.int64)
        return Batch(values, docs, self.word)


def _seconds(classifier: LatentClassifier, batches: list[Any]) -> float:
    start = clock()
    for batch in batches:
        classifier.best(batch)
    return clock() - start
