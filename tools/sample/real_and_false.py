"""Sentences of the sample against false ones, for the classifier of sentences.

False ones come from an n-gram model of sentences of the same grammar. Real ones have
their tags and chunks; all have `simple_tags`, the commonest tag of each word in the
training part: tags must come from one source, or they would tell which is which.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from spacy_latperc.grammaticality.negatives.make import Settings, make_negatives
from spacy_latperc.grammaticality.rng import random_order
from spacy_latperc.grammaticality.scorer import NEGATIVE, POSITIVE
from spacy_latperc.kernels.text import Vocabulary
from spacy_latperc.text.sentences import Sentences, bounds_of

from .generate import SCHEME, SentenceMaker, Token, sample_sentences

POOL = 8000  # sentences that the n-gram model is of
UNKNOWN_TAG = "NN"

Tokens = Sequence[Token]


def write_real_and_false(
    folder: Path, *, seed: int = 0, train: int = 800, dev: int = 200, test: int = 200
) -> None:
    """Write grammaticality-train.jsonl and so on: as many real ones as false ones."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = dict(sample_sentences(seed=seed, train=train, dev=dev, test=test))
    maker = SentenceMaker(seed=seed + 1)
    pool = [words_of(maker.sentence()) for _ in range(POOL)]
    simple = _commonest_tags(parts["train"])
    for number, (part, sentences) in enumerate(parts.items()):
        lines = list(_pairs(sentences, pool, simple, seed=seed))
        order = random_order(len(lines), seed, number)
        text = "".join(lines[i] for i in order.tolist())
        (folder / f"grammaticality-{part}.jsonl").write_bytes(text.encode())


def _pairs(
    sentences: Sequence[Tokens],
    pool: Sequence[Sequence[str]],
    simple: dict[str, str],
    *,
    seed: int,
) -> Iterator[str]:
    vocabulary = Vocabulary()
    positives = sentences_of(vocabulary, list(map(words_of, sentences)))
    text = sentences_of(vocabulary, [*map(words_of, sentences), *pool])
    settings = Settings(seed=seed, shares=(1.0,))
    made = make_negatives(text, settings, positives=positives)
    tokens_of = {tuple(words_of(tokens)): tokens for tokens in sentences}
    for number in range(len(made.positives)):
        tokens = tokens_of[tuple(made.positives.words(number))]
        yield _line(words_of(tokens), simple, tokens)
        yield _line(made.negatives.words(number), simple)


def _line(
    words: Sequence[str], simple: dict[str, str], tokens: Tokens | None = None
) -> str:
    good, bad = POSITIVE, NEGATIVE
    fields: dict[str, Any] = {
        "text": " ".join(words),
        "cats": {good: float(tokens is not None), bad: float(tokens is None)},
        "simple_tags": " ".join(simple.get(word, UNKNOWN_TAG) for word in words),
    }
    if tokens is not None:
        fields["tags"] = " ".join(token.tag for token in tokens)
        fields["chunks"] = SCHEME.decode([token.chunk for token in tokens])
    return json.dumps(fields, separators=(",", ":")) + "\n"


def _commonest_tags(sentences: Sequence[Tokens]) -> dict[str, str]:
    counts = Counter((t.word, t.tag) for tokens in sentences for t in tokens)
    # The commonest comes last; of equals, the last in the alphabet.
    ranked = sorted(counts, key=lambda pair: (counts[pair], pair))
    return dict(ranked)


def words_of(tokens: Tokens) -> list[str]:
    """The words of a sentence."""
    return [token.word for token in tokens]


def sentences_of(
    vocabulary: Vocabulary, sentences: Sequence[Sequence[str]]
) -> Sentences:
    """Sentences over a vocabulary, which grows by their words."""
    ids = [vocabulary.add(word) for words in sentences for word in words]
    lengths = np.array([len(words) for words in sentences], dtype=np.int64)
    return Sentences(vocabulary, np.array(ids, dtype=np.int32), bounds_of(lengths))
