"""Held-out sentences: what evidence is worth, and probabilities, are fitted to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example

from ..calibration import Calibration, fit_line, sigmoid
from ..errors import Errors
from ..io.docbin import MADE_FROM

if TYPE_CHECKING:
    from .component import LatpercGrammaticality


def made_pairs(docs: Sequence[Doc], good: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Numbers of Docs, [pairs, 2]: a good one, and a bad one that was made from it.

    Args:
        docs: Those of `spacy latperc corrupt` say what they were made from.
        good: Whether each is.
    """
    known: dict[tuple[str, ...], int] = {}
    for number, doc in enumerate(docs):
        if good[number]:
            known.setdefault(tuple(token.text for token in doc), number)
    pairs = []
    for number, doc in enumerate(docs):
        sources = doc.user_data.get(MADE_FROM)
        if not good[number] and sources and tuple(sources[0]) in known:
            pairs.append((known[tuple(sources[0])], number))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def held_out_evidence(
    pipe: LatpercGrammaticality, batches: Iterable[Sequence[Example]]
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.int64]]:
    """What the component knows of Docs with the categories, which of them are good, and
    pairs of those (see `made_pairs`)."""
    tables: list[NDArray[np.float64]] = []
    truths: list[bool] = []
    docs: list[Doc] = []
    for batch in batches:
        some = [x for x in batch if any(not token.is_space for token in x.predicted)]
        real = pipe.classes([example.reference for example in some])
        known = [some[i].predicted for i in np.flatnonzero(real).tolist()]
        tables.append(pipe.evidence(known))
        truths += (real[real != 0] > 0).tolist()
        docs += known
    good = np.array(truths, dtype=bool)
    _check_both(pipe, good)
    return np.concatenate(tables), good, made_pairs(docs, good)


def _check_both(pipe: LatpercGrammaticality, good: NDArray[np.bool_]) -> None:
    positives = int(good.sum())
    if not 0 < positives < len(good):
        raise ValueError(
            Errors.LP461.format(name=pipe.name, n=len(good), positives=positives)
        )


class HeldOutSentences:
    """Held-out sentences and their margins: an answer is that one is grammatical.

    Args:
        pipe: The component.
        batches: Examples whose predicted Docs are as they are when the component's turn
            comes.
    """

    def __init__(
        self, pipe: LatpercGrammaticality, batches: Iterable[Sequence[Example]]
    ):
        self.name = pipe.name
        self.pipe = pipe
        compared = [pipe.compare(batch) for batch in batches]
        self.margins = np.concatenate([np.zeros(0), *(m for m, _ in compared)])
        self.correct = np.concatenate([np.zeros(0, bool), *(x for _, x in compared)])
        self.gold = int(self.correct.sum())
        _check_both(pipe, self.correct)

    def probabilities(self, temperature: float) -> NDArray[np.float64]:
        """Of the sentences, without a bias."""
        return sigmoid(self.margins / temperature)

    def fit(self) -> Calibration:
        """A line: margins are not log odds to begin with."""
        return fit_line(self.margins, self.correct)
