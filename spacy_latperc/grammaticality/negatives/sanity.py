"""A report on negatives: baselines without grammar, coverage, and samples."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...text.sentences import Sentences
from ..rng import random_order
from .baselines import bag_of_words_accuracy, length_accuracy
from .make import PARTS, Negatives

REAL = "real"
HELD_OUT = 5  # one in so many, if there is a single part


@dataclass(frozen=True)
class Lengths:
    """Lengths of the sentences of one kind.

    Args:
        kind: Real, or the origin of negatives.
        sentences: The number of sentences.
        mean: The mean number of words.
        sd: The standard deviation of the number of words.
        quantiles: The minimum, the quartiles, the maximum.
    """

    kind: str
    sentences: int
    mean: float
    sd: float
    quantiles: tuple[int, int, int, int, int]  # min, quartiles, max


@dataclass(frozen=True)
class Sanity:
    """Figures about a set of negatives.

    Args:
        lengths: The lengths of each kind of sentences.
        parts: The number of pairs in each part.
        length_accuracy: The held-out accuracy of length alone; 0.5 is chance.
        word_accuracy: The held-out accuracy of a bag of words.
        tested: The number of held-out sentences.
        known_tokens: The share of the negatives' tokens that occur in the positives.
        known_words: The same for word types.
        verbatim: The share of negatives that are sentences of the text.
        samples: A few sentences of each kind.
    """

    lengths: list[Lengths]
    parts: dict[str, int]
    length_accuracy: float
    word_accuracy: float
    tested: int
    known_tokens: float
    known_words: float
    verbatim: float
    samples: dict[str, list[str]]


def check_sanity(
    negatives: Negatives, text: Sentences, *, seed: int = 0, samples: int = 3
) -> Sanity:
    """Compute the figures of a set.

    Args:
        negatives: The set.
        text: The text of the n-gram model.
        seed: The seed of the samples, and of the held-out pairs of a single part.
        samples: The number of samples of each kind.
    """
    real, false = negatives.positives, negatives.negatives
    train, test = _held_out(negatives, seed)
    halves = [(real.where(mask), false.where(mask)) for mask in (train, test)]
    enough = bool(len(halves[0][0]) and len(halves[1][0]))
    kinds = {REAL: real}
    for kind in np.unique(negatives.kinds):
        kinds[str(kind)] = false.where(negatives.kinds == kind)
    in_real = np.zeros(real.vocabulary.size, dtype=bool)
    in_real[real.ids] = True
    return Sanity(
        lengths=[_lengths(kind, sentences) for kind, sentences in kinds.items()],
        parts={
            name: int((negatives.part == number).sum())
            for number, name in enumerate(PARTS)
            if (negatives.part == number).any()
        },
        length_accuracy=length_accuracy(*halves) if enough else float("nan"),
        word_accuracy=(
            bag_of_words_accuracy(*halves, seed=seed) if enough else float("nan")
        ),
        tested=2 * int(test.sum()),
        known_tokens=float(in_real[false.ids].mean()),
        known_words=float(in_real[np.unique(false.ids)].mean()),
        verbatim=float(np.isin(false.hashes(), text.hashes()).mean()),
        samples={
            kind: [
                " ".join(sentences.words(number))
                for number in random_order(len(sentences), seed, 4)[:samples]
            ]
            for kind, sentences in kinds.items()
        },
    )


def _held_out(negatives: Negatives, seed: int) -> tuple[NDArray, NDArray]:
    """Return masks of the pairs for training and for testing."""
    train = negatives.part == 0
    if train.all() or not train.any():
        train = random_order(len(train), seed, 5) % HELD_OUT > 0
    return train, ~train


def _lengths(kind: str, sentences: Sentences) -> Lengths:
    lengths = sentences.lengths
    least, quarter, half, three, most = np.quantile(
        lengths, [0, 0.25, 0.5, 0.75, 1], method="lower"
    )
    return Lengths(
        kind=kind,
        sentences=len(sentences),
        mean=float(lengths.mean()),
        sd=float(lengths.std()),
        quantiles=(int(least), int(quarter), int(half), int(three), int(most)),
    )
