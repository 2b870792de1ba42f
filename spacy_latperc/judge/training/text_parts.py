"""The settings of the training of a judge, and the parts of its texts.

Counted sentences cannot be reused: their n-grams are known.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...grammaticality.rng import random_order
from ...kernels.text import FIRST_WORD
from ...text.sentences import Sentences
from ..evidence.ngram_counts import CountSettings
from ..floor import LONG, is_word, lower_counts

SHORTEST, LONGEST = 1, 80  # words of a training sentence
LEAST = 200  # sentences
_FREQUENT = 200  # words that a sentence of the language has some of
_FOR, _AGAINST = 17, -3  # at least 15 % of the words must be frequent
_HELD_OUT_SHARE = 0.05  # the share of a text that the threshold is chosen on
_JOINED_SHARE = 0.15  # that the weights of features are fitted to
_LEARNED_SHARE = 0.15  # that the detector is trained on
# For each counted word, and for each sentence that errors are injected into.
_SECONDS, _MEGABYTES = (4e-6, 1e-3), (2e-5, 8e-3)


@dataclass(frozen=True)
class JudgeSettings:
    """The settings of training.

    Attributes:
        sentences: The number of sentences that the detector learns from. With several
            texts, half of them are scored by models of the other texts.
        joined: The number of sentences that the weights of features are fitted to.
        held_out: The largest number of sentences of each text that the threshold is
            chosen on.
        epochs: The number of epochs of the detector.
        counting: The settings of the n-gram table.
        share: The share of good sentences that may fall below the threshold, averaged
            over the texts.
        seed: The same text and seed give the same judge.
        encoder: The folder of an encoder whose vectors the detector reads.
    """

    sentences: int = 20_000
    joined: int = 16_000
    held_out: int = 8_000
    epochs: int = 4
    counting: CountSettings = CountSettings(order=4, megabytes=23.5)
    share: float = 0.05
    seed: int = 0
    encoder: Path | None = None


@dataclass(frozen=True)
class Parts:
    """The sentences of each text by their purpose.

    Attributes:
        counted: Sentences for the n-gram counts and the context model.
        learned: Other sentences, to train the detector on.
        out_of_domain: Counted sentences, to train the detector on with models of the
            other texts.
        joined: Other sentences, to fit the weights of features to.
        unseen: Other sentences, to choose the threshold on.
    """

    counted: list[Sentences]
    learned: list[Sentences]
    out_of_domain: list[Sentences]
    joined: list[Sentences]
    unseen: list[Sentences]


def split_text(texts: Sequence[Sentences], settings: JudgeSettings) -> Parts:
    """Split texts into parts for counting, learning and fitting. The square root of the
    size of a text counts, so that a large text does not drown the others.
    """
    known = in_the_language(texts)
    fitting = [
        np.flatnonzero(x & (text.lengths >= SHORTEST) & (text.lengths <= LONGEST))
        for x, text in zip(known, texts, strict=True)
    ]
    found = sum(map(len, fitting))
    if found < LEAST:
        raise ValueError(Errors.LP784.format(n=found, least=LEAST))
    weights = np.sqrt([len(rows) for rows in fitting])
    weights /= weights.sum()
    half = settings.sentences // min(len(texts), 2)
    parts = Parts([], [], [], [], [])
    for number, (text, rows) in enumerate(zip(texts, fitting, strict=True)):
        order = rows[random_order(len(rows), settings.seed, 21, number)]
        weight = weights[number]
        wanted = settings.held_out, weight * half, weight * settings.joined
        shares = _HELD_OUT_SHARE, _LEARNED_SHARE, _JOINED_SHARE
        counts = [min(len(rows) * x, n) for x, n in zip(shares, wanted, strict=True)]
        ends = np.cumsum(np.floor(counts).astype(np.int64)).tolist()
        parts.unseen.append(text.take(np.sort(order[: ends[0]])))
        parts.learned.append(text.take(order[ends[0] : ends[1]]))
        parts.joined.append(text.take(order[ends[1] : ends[2]]))
        out_of_domain = int(weights[number] * half) if len(texts) > 1 else 0
        parts.out_of_domain.append(text.take(order[ends[2] : ends[2] + out_of_domain]))
        kept = known[number].copy()
        kept[order[: ends[2]]] = False
        parts.counted.append(text.where(kept))
    return parts


def in_the_language(texts: Sequence[Sentences]) -> list[NDArray[np.bool_]]:
    """Return a mask of the sentences of each text that are in its language: short ones,
    and those with enough of the most frequent words of all texts. Raw text may have
    passages in other languages, which would be learned as good sentences.
    """
    vocabulary = texts[0].vocabulary
    common = lower_counts(word_counts(texts)).most_common(_FREQUENT)
    vote = {word: _FOR for word, _ in common}
    words = vocabulary.words_of(np.arange(FIRST_WORD, vocabulary.size, dtype=np.int32))
    votes = np.zeros(vocabulary.size, dtype=np.int32)
    votes[FIRST_WORD:] = [
        vote.get(x.lower(), _AGAINST) if is_word(x) else 0 for x in words
    ]
    sums = [np.append(0, np.cumsum(votes[x.ids], dtype=np.int32)) for x in texts]
    return [
        (text.lengths < LONG) | (np.diff(total[text.bounds]) >= 0)
        for text, total in zip(texts, sums, strict=True)
    ]


def word_counts(texts: Sequence[Sentences]) -> dict[str, int]:
    """Return the count of each word of some texts."""
    vocabulary = texts[0].vocabulary
    times = np.zeros(vocabulary.size, dtype=np.int64)
    for text in texts:
        times += np.bincount(text.ids, minlength=vocabulary.size)
    ids = np.flatnonzero(times).astype(np.int32)
    return dict(zip(vocabulary.words_of(ids), times[ids].tolist(), strict=True))


def estimate_training(parts: Parts) -> str:
    """Estimate the time and the memory of training."""
    words = sum(len(text.ids) for text in parts.counted)
    sentences = sum(map(len, [*parts.learned, *parts.out_of_domain, *parts.joined]))
    seconds = 5 + words * _SECONDS[0] + sentences * _SECONDS[1]
    megabytes = 200 + words * _MEGABYTES[0] + sentences * _MEGABYTES[1]
    return f"about {seconds:.0f} s and {megabytes:.0f} MB"
