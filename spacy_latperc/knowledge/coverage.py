"""The coverage of a held-out text by clusters."""

from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from ..text.sentences import Sentences


@dataclass(frozen=True)
class Coverage:
    """Words of a text that have a cluster.

    Attributes:
        tokens: The number of words of the text.
        found: The number of words that have a cluster.
        types: The number of word types.
        found_types: The number of word types that have a cluster.
    """

    tokens: int
    found: int
    types: int
    found_types: int


def coverage(
    text: Sentences, clustered: Set[str], *, training: Sentences | None = None
) -> Coverage:
    """Count the words of a text that have a cluster."""
    known = _counts(training) if training else {}
    found = {word: n for word, n in _counts(text).items() if word not in known}
    covered = [n for word, n in found.items() if word in clustered]
    return Coverage(sum(found.values()), sum(covered), len(found), len(covered))


def _counts(text: Sentences) -> dict[str, int]:
    counts = np.bincount(text.ids, minlength=text.vocabulary.size)
    numbers = np.flatnonzero(counts).astype(np.int32)
    words = text.vocabulary.words_of(numbers)
    return dict(zip(words, counts[numbers].tolist(), strict=True))
