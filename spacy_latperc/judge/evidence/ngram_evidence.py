"""A source of attributes from n-gram counts of a text.

`ng.NAME:left[0]` is the length of the longest known n-gram that ends here, and
`ng.NAME:prob[0]` the log probability of the word after the previous words.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors.check import check_kind
from .ngram_counts import NgramCounts
from .text_source import TextSource

_LOWEST = 15  # the last bucket of log probabilities
_MOST = 20  # the last bucket of counts


def _length(values: NDArray) -> NDArray[np.uint64]:
    return values.astype(np.uint64)


def _logarithm(values: NDArray) -> NDArray[np.uint64]:
    """Round down to an integer, without its sign."""
    return np.clip(-np.floor(values), 0, _LOWEST).astype(np.uint64)


def _count(values: NDArray) -> NDArray[np.uint64]:
    """Buckets of counts: 0, 1, 2 to 3, 4 to 7, ..."""
    return np.clip(np.frexp(values)[1], 0, _MOST).astype(np.uint64)


class NgramEvidence(TextSource):
    """A source of n-gram attributes."""

    kind = "ng"
    tables_class = NgramCounts
    command = "ngrams"
    # The arguments of templates after the colon, with their buckets.
    buckets = {
        "left": _length,
        "right": _length,
        "prob": _logarithm,
        "next": _logarithm,
        "gap": _logarithm,
        "count": _count,
        "pair": _count,
        "middle": _count,
    }

    def templates(self, name: str) -> list[str]:
        """See Source."""
        own = f"{self.kind}.{name}"
        left, right, prob = (f"{own}:{x}" for x in ("left", "right", "prob"))
        return [
            *(f"{own}:{argument}[0]" for argument in self.buckets),
            *(f"{left}[{at}]" for at in (-1, 1, 2)),
            *(f"{right}[{at}]" for at in (-2, -1, 1)),
            *(f"{prob}[{at}]" for at in (-1, 1, 2)),
            f"{left}[0]|{right}[0]",
            f"{left}[0]|{left}[1]",
            f"{left}[1]|{right}[-1]",
            f"{prob}[0]|{prob}[1]",
            f"{prob}[1]|{own}:gap[0]",
        ]


def ngram_evidence(path: str | Path) -> NgramEvidence:
    """Provide n-gram attributes of a counted text: `ng.NAME:left[0]` (the length of the
    longest known n-gram that ends here), `:right` (that begins here), `:prob` (the log
    probability of the word), `:next` (of the following word, or the end), `:gap` (of
    the following word if this one were missing), `:count`, `:pair` and `:middle` (the
    counts of the word, after the previous word, and between both neighbours).

    The file is read when the component is initialised; the model keeps the counts.

    Args:
        path: A file of `spacy latperc knowledge ngrams`, counted in other text than the
            training data: counted sentences look too good.
    """
    check_kind("path", path, (str, Path), "a path")
    return NgramEvidence(path)
