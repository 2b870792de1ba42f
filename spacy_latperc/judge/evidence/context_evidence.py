"""A context model as a source of attributes.

`ctx.NAME:fit[0]` is how probable a word is between its neighbours; `ctx.NAME:better[0]`
by how much one that may be meant in its place would fit better.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors.check import check_kind
from .context_model import COLUMNS, NO_OTHER, ContextModel
from .text_source import TextSource

_LOWEST = 20  # of the buckets of logarithms


def _logarithm(values: NDArray) -> NDArray[np.uint64]:
    """Down to the whole number below, without its sign."""
    return np.clip(-np.floor(values), 0, _LOWEST).astype(np.uint64)


def _gain(values: NDArray) -> NDArray[np.uint64]:
    """Return buckets of gains: 0 where there is no other word; else integers from -6 to
    9, moved up."""
    moved = np.clip(np.floor(values), -6, 9) + 7
    return np.where(values <= NO_OTHER, 0, moved).astype(np.uint64)


class ContextEvidence(TextSource):
    """A source of attributes that come from a context model."""

    kind = "ctx"
    tables_class = ContextModel
    command = "contexts"
    # What a template may have after the colon, and the buckets.
    buckets = {"fit": _logarithm, "better": _gain, "missing": _gain, "fewer": _gain}

    def templates(self, name: str) -> list[str]:
        """See Source."""
        fit, better, missing, fewer = (f"{self.kind}.{name}:{x}" for x in COLUMNS)
        return [
            *(f"{x}[{at}]" for x in (fit, better, missing, fewer) for at in (-1, 0, 1)),
            f"{fit}[0]|{fit}[1]",
            f"{fit}[0]|{better}[0]",
            f"{better}[0]|lower[0]",
            f"{missing}[0]|lower[0]",
            f"{fewer}[0]|lower[0]",
        ]


def context_evidence(path: str | Path) -> ContextEvidence:
    """Build a source of attributes that come from a context model. Templates see them
    as `ctx.NAME:fit[0]` (how probable the word is between its neighbours), `:better`
    (how much better another form of the word, or another small word, would fit),
    `:missing` (a small word before it) and `:fewer` (nothing in its place).

    The file is read when the component is initialised; the pipeline keeps the model.

    Args:
        path: A file that `spacy latperc knowledge contexts` wrote.
    """
    check_kind("path", path, (str, Path), "a path")
    return ContextEvidence(path)
