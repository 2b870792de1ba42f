"""How sure a parser is of the arcs of its trees, and held-out arcs to calibrate it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.training import Example

from ..calibration import Calibration, fit_curve, fit_temperature, log_loss
from ..errors import Errors

if TYPE_CHECKING:
    from .component import LatpercParser

# A beam sees few of all trees: nothing that it finds is certain.
LEAST_SHARE = 1e-6
Floats = NDArray[np.float64]


def open_shares(shares: NDArray[np.float32]) -> Floats:
    """Shares of the search as probabilities that are neither 0 nor 1."""
    return np.clip(shares.astype(np.float64), LEAST_SHARE, 1 - LEAST_SHARE)


class ComparedArcs(NamedTuple):
    """Heads and relations of some Docs of which the annotation says whether they are
    right.

    Attributes:
        correct: Whether they are.
        shares: How sure the search is of them at a temperature.
    """

    correct: NDArray[np.bool_]
    shares: Callable[[float], Floats]


class HeldOutArcs:
    """Held-out trees, to fit probabilities to: an answer is a head with its relation.

    Args:
        pipe: The component.
        batches: Examples whose predicted Docs are as they are when the component's turn
            comes.
    """

    def __init__(self, pipe: LatpercParser, batches: Iterable[Sequence[Example]]):
        self.name = pipe.name
        self.pipe = pipe
        compared = (pipe.compare(batch) for batch in batches)
        self.parts = [part for part in compared if part is not None]
        found = [part.correct for part in self.parts]
        self.correct = np.concatenate([np.zeros(0, dtype=bool), *found])
        self.gold = len(self.correct)
        if not self.gold:
            raise ValueError(Errors.LP080.format(name=self.name))

    def probabilities(self, temperature: float) -> Floats:
        """Of the answers, before any curve."""
        return np.concatenate([part.shares(temperature) for part in self.parts])

    def fit(self) -> Calibration:
        """The temperature under which the shares say best which arcs are right, and
        then the curve, since arcs are chosen for being the best."""

        def loss(temperature: float) -> float:
            return log_loss(self.probabilities(temperature), self.correct)

        temperature = fit_temperature(loss)
        curve = fit_curve(self.probabilities(temperature), self.correct)
        return Calibration(temperature, *curve)
