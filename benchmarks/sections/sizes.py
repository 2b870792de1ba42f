"""Training on corpora of up to sixteen million tokens: time and memory of a token.

A larger corpus is the training data over and over, each time with other words in place
of one in fifty, so that features become more, too.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from ..context import BASE, Bench, values
from ..corpora import BenchCorpus, read_sentences
from ..process import Task
from ..report import Row

SIZES = {"1 M": 1_000_000, "4 M": 4_000_000, "16 M": 16_000_000}
EPOCHS = 2
OTHER_WORDS = 0.02


def sizes(bench: Bench) -> list[Row]:
    """Base templates, two passes, from the file to the saved model."""
    idle = bench.take({"spaCy alone": Task("host.start_up")}, runs=1)
    (least,) = values(idle["spaCy alone"], "peak_mb")
    rows = []
    for name in SIZES:
        with larger_corpus(bench, name) as (large, tokens):
            settings = {"corpus": asdict(large), "epochs": EPOCHS, "kind": BASE}
            task = Task("training.direct", settings)
            (result,) = bench.take({f"fit, {name} tokens": task}, runs=1).values()
        seconds = [1e6 * x / tokens for x in values(result, "seconds")]
        memory = [1e6 * (x - least) / tokens for x in values(result, "peak_mb")]
        rows += [
            Row(f"{name} tokens: file to saved model", seconds, "us/token"),
            Row(f"{name} tokens: peak above spaCy's", memory, "bytes/token"),
        ]
    return rows


@contextmanager
def larger_corpus(bench: Bench, name: str) -> Iterator[tuple[BenchCorpus, int]]:
    """A corpus of one of the SIZES, while it is there, and how many tokens it has."""
    corpus, size = bench.corpora.chunks, SIZES[name]
    wanted = min(size, 20 * bench.limit) if bench.limit else size
    path = bench.scratch / f"{size}.txt"
    tokens = _write(corpus, path, wanted)
    yield replace(corpus, train=str(path)), tokens
    path.unlink()


def _write(corpus: BenchCorpus, path: Path, wanted: int) -> int:
    """A column file of at least so many tokens. RETURNS: how many."""
    sentences = read_sentences(corpus.train)
    rest = " O" * (len(corpus.columns) - 3)  # which nothing is learned from
    rng = random.Random(0)
    tokens = copy = 0
    with path.open("w", encoding="utf-8") as file:
        while tokens < wanted:
            for words, tags, labels in sentences:
                for word, tag, label in zip(words, tags, labels, strict=True):
                    other = copy and rng.random() < OTHER_WORDS
                    file.write(f"{word}{copy if other else ''} {tag} {label}{rest}\n")
                file.write("\n")
                tokens += len(words)
                if tokens >= wanted:
                    break
            copy += 1
    return tokens
