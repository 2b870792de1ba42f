"""What a chain learner answers beside the best labels.

Every question goes to the averaged weights, written out: any number of threads may ask.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..kernels.features import FeatureSpace
from ..kernels.frozen import FrozenChain

Columns = NDArray[np.uint64]
Offsets = NDArray[np.int64]
Lookup = Callable[[int], str]


class Answers:
    """Questions to a learner with a feature space, `freeze` and `bounds`."""

    space: FeatureSpace
    labels: list[str]

    def freeze(self) -> FrozenChain:
        raise NotImplementedError

    def bounds(self, values: Columns, docs: Offsets) -> tuple[Offsets, Offsets]:
        raise NotImplementedError

    def n_best(
        self,
        values: Columns,
        docs: Offsets,
        lookup: Lookup,
        k: int,
        allowed: NDArray[np.uint8] | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int32]]:
        """The k best label sequences of each sentence (kernels/kbest.hh).

        RETURNS: label ids of all of them in a row, best first; their scores; and how
        many each sentence has, which is none where `allowed` leaves no path.
        """
        if k < 1:
            raise ValueError(Errors.LP050.format(k=k))
        frozen, attrs, bounds = self._read(values, docs, lookup)
        return frozen.kbest(self.space, attrs, bounds, k, allowed)

    def _read(
        self, values: Columns, docs: Offsets, lookup: Lookup
    ) -> tuple[FrozenChain, NDArray[np.uint64], Offsets]:
        """Whom to ask, and a batch as it reads it."""
        if not self.labels:
            raise ValueError(Errors.LP024)
        bounds, _ = self.bounds(values, docs)
        return self.freeze(), self.space.assemble(values, lookup), bounds
