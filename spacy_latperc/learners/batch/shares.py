"""An objective over all sentences, evaluated in parts at the same time."""

from functools import partial
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ...kernels.likelihood import Objective
from ..threads import together, usable_cores

Vector = NDArray[np.float64]


@runtime_checkable
class Evaluated(Protocol):
    """An objective over pairs of features and labels, wherever it is evaluated; the
    calls are those of `SharedObjective`."""

    @property
    def n_pairs(self) -> int:
        """Pairs of a feature and a label."""
        ...

    @property
    def n_sentences(self) -> int:
        """Without those that no path agrees with."""
        ...

    @property
    def n_tokens(self) -> int:
        """Of these sentences."""
        ...

    @property
    def nbytes(self) -> int:
        """Memory of what is evaluated."""
        ...

    def evaluate(self, w: Vector, slope: Vector) -> tuple[float, int]:
        """The value, whose slope is written; see SharedObjective."""
        ...

    def set_rows(self, b: int, w: Vector, *rows: NDArray[Any]) -> None:
        """Put rows of a block into weights."""
        ...

    def rows(self, b: int, w: Vector) -> tuple[NDArray[Any], ...]:
        """The rows of a block of weights."""
        ...

    def add_noise(self, w: Vector, scale: float, seed: int) -> None:
        """Small noise on the transitions between latent states."""
        ...


class SharedObjective:
    """Objectives of parts of the sentences, over the same pairs: their values and
    slopes add up. The sum depends, in its last bits, on the number of parts only.

    Args:
        shards: How many parts.
        arguments: What all have in common, as Objective takes it.
        wanted: Flags over the pairs of the same objective without it; the others go.
    """

    def __init__(self, shards: int, *arguments: Any, **settings: Any):
        make = partial(Objective, *arguments, **settings, shares=shards)
        jobs = [partial(make, share=share) for share in range(shards)]
        self.parts = together(jobs, usable_cores())
        # The first part writes its slope where the sum is wanted.
        self._slopes = [np.empty(self.n_pairs) for _ in self.parts[1:]]

    @property
    def n_pairs(self) -> int:
        """Pairs of a feature and a label."""
        return self.parts[0].n_pairs

    @property
    def n_sentences(self) -> int:
        """Without those that no path agrees with."""
        return sum(part.n_sentences for part in self.parts)

    @property
    def n_tokens(self) -> int:
        """Of these sentences."""
        return sum(part.n_tokens for part in self.parts)

    @property
    def nbytes(self) -> int:
        """Memory of what is evaluated, without the vectors of the optimiser."""
        return sum(part.nbytes for part in self.parts) + 8 * self.n_pairs * len(
            self._slopes
        )

    def evaluate(self, w: Vector, slope: Vector) -> tuple[float, int]:
        """The value at w, whose slope is written, and -1; or NaN and the number of the
        first sentence at which a score stopped being finite."""
        slopes = [slope, *self._slopes]
        jobs = [
            partial(part.evaluate, w, own)
            for part, own in zip(self.parts, slopes, strict=True)
        ]
        found = together(jobs, usable_cores())
        for own in self._slopes:
            np.add(slope, own, out=slope)
        bad = [number for _, number in found if number >= 0]
        return sum(loss for loss, _ in found), min(bad, default=-1)

    def set_rows(self, b: int, w: Vector, *rows: NDArray[Any]) -> None:
        """See Objective."""
        self.parts[0].set_rows(b, w, *rows)

    def rows(self, b: int, w: Vector) -> tuple[NDArray[Any], ...]:
        """See Objective."""
        return self.parts[0].rows(b, w)

    def add_noise(self, w: Vector, scale: float, seed: int) -> None:
        """See Objective."""
        self.parts[0].add_noise(w, scale, seed)
