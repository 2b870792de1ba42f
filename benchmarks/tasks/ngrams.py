"""n-gram models: counting, sampling, scoring, and what gives their samples away."""

from pathlib import Path
from typing import Any

import numpy as np

from spacy_latperc.grammaticality.negatives.constructions import find_construction
from spacy_latperc.grammaticality.negatives.make import Settings, make_negatives
from spacy_latperc.grammaticality.negatives.sanity import check_sanity
from spacy_latperc.grammaticality.ngrams.model import NgramModel
from spacy_latperc.text.lines import read_text
from spacy_latperc.text.sentences import Sentences

from ..clock import seconds as clock
from ..machine import peak_memory

SCORED = 50_000


def _read(text: str, limit: int) -> Sentences:
    sentences, _ = read_text(Path(text))
    return sentences.slice(0, limit) if limit else sentences


def model(
    *, text: str, smoothing: str, order: int, samples: int, limit: int = 0
) -> dict[str, Any]:
    """From the file to the model, then sentences a second."""
    start = clock()
    sentences = _read(text, limit)
    read = clock()
    trained = NgramModel.train(sentences, order=order, smoothing=smoothing)
    counted = clock()
    peak = peak_memory()
    trained.sample(samples, seed=1)
    sampled = clock()
    part = sentences.slice(0, SCORED)
    trained.score_sentences(part)
    scored = clock()
    return {
        "read_seconds": read - start,
        "seconds": counted - start,
        "sample_rate": samples / (sampled - counted),
        "score_rate": len(part) / (scored - sampled),
        "model_mb": len(trained.to_bytes()) / 1e6,
        "sentences": len(sentences),
        "peak_mb": peak,
    }


def negatives(
    *, text: str, construction: str, n: int, limit: int = 0
) -> dict[str, Any]:
    """Make a set and look at it as `spacy latperc negatives` does."""
    sentences = _read(text, limit)
    start = clock()
    found = make_negatives(
        sentences, Settings(find_construction(construction), n=n or len(sentences))
    )
    seconds = clock() - start
    sanity = check_sanity(found, sentences)
    return {
        "seconds": seconds,
        "pairs": len(found.part),
        "drawn": found.counts["n-gram samples drawn"] / len(found.part),
        "length_accuracy": 100 * sanity.length_accuracy,
        "word_accuracy": 100 * sanity.word_accuracy,
        "same_lengths": bool(
            np.array_equal(found.positives.lengths, found.negatives.lengths)
        ),
    }
