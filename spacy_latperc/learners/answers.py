"""What a chain learner answers beside the best labels.

Every question goes to the averaged weights, written out: any number of threads may ask.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..kernels.features import FeatureSpace
from ..kernels.frozen import FrozenChain
from .settings import SearchSettings

Columns = NDArray[np.uint64]
Offsets = NDArray[np.int64]
Lookup = Callable[[int], str]


class Answers:
    """Questions to a learner with a feature space, `freeze` and `bounds`."""

    space: FeatureSpace
    labels: list[str]
    latent: int
    search: SearchSettings

    def freeze(self) -> FrozenChain:
        raise NotImplementedError

    def bounds(self, values: Columns, docs: Offsets) -> tuple[Offsets, Offsets]:
        raise NotImplementedError

    def _set_table(self) -> NDArray[np.uint8] | None:
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

    def marginals(
        self,
        values: Columns,
        docs: Offsets,
        lookup: Lookup,
        allowed: NDArray[np.uint8] | None = None,
        temperature: float = 1.0,
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """The probability of each label at each token, [tokens, labels], and log Z of
        each sentence: NaN and -inf where `allowed` leaves no path.

        temperature: divides all scores; above 1 it makes the learner less sure.
        """
        frozen, attrs, bounds = self._read(values, docs, lookup, temperature)
        return frozen.marginals(
            self.space, attrs, bounds, allowed, temperature=temperature
        )

    def max_marginals(
        self,
        values: Columns,
        docs: Offsets,
        lookup: Lookup,
        allowed: NDArray[np.uint8] | None = None,
    ) -> NDArray[np.float32]:
        """The score of the best path with each label at each token, [tokens, labels];
        -inf where there is none."""
        frozen, attrs, bounds = self._read(values, docs, lookup)
        return frozen.max_marginals(self.space, attrs, bounds, allowed)

    def log_scores(
        self,
        values: Columns,
        docs: Offsets,
        lookup: Lookup,
        labels: NDArray[np.int32],
        allowed: NDArray[np.uint8] | None = None,
        temperature: float = 1.0,
    ) -> NDArray[np.float64]:
        """The log probability of given labels, for each sentence, the latent paths
        summed: -inf where no path has them, NaN where `allowed` leaves none at all.

        labels: ids, or the codes of gold: UNKNOWN, or what `label_set` gave.
        """
        frozen, attrs, bounds = self._read(values, docs, lookup, temperature)
        return frozen.log_scores(
            self.space,
            attrs,
            bounds,
            np.ascontiguousarray(labels, dtype=np.int32),
            allowed,
            temperature=temperature,
            sets=self._set_table(),
        )

    def span_probabilities(
        self,
        values: Columns,
        docs: Offsets,
        lookup: Lookup,
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        types: NDArray[np.int32],
        *,
        type_of: NDArray[np.int32],
        boundary: NDArray[np.bool_],
        allowed: NDArray[np.uint8] | None = None,
        temperature: float = 1.0,
    ) -> NDArray[np.float64]:
        """The exact probability that each chunk is there, whatever is around it.

        starts, ends: tokens of the batch; a chunk lies within one sentence.
        type_of, boundary: what labels say about chunks, as schemes.LabelInventory has
            them.
        NaN in a sentence where `allowed` leaves no path.
        """
        frozen, attrs, bounds = self._read(values, docs, lookup, temperature)
        return frozen.span_probabilities(
            self.space,
            attrs,
            bounds,
            np.ascontiguousarray(starts, dtype=np.int64),
            np.ascontiguousarray(ends, dtype=np.int64),
            np.ascontiguousarray(types, dtype=np.int32),
            np.ascontiguousarray(type_of, dtype=np.int32),
            np.ascontiguousarray(boundary, dtype=np.uint8),
            allowed,
            temperature=temperature,
        )

    def _decode(
        self,
        frozen: FrozenChain,
        attrs: NDArray[np.uint64],
        bounds: Offsets,
        allowed: NDArray[np.uint8] | None,
    ) -> NDArray[np.int32]:
        """Labels, by the rule that the search names (see learners/search.py)."""
        if self.search.decode == "label_marginal":
            return frozen.decode_marginals(self.space, attrs, bounds, allowed)
        if self.search.decode == "label_sequence" and self.latent > 1:
            n = self.search.n
            return frozen.decode_sequences(self.space, attrs, bounds, n, allowed)
        return frozen.decode(self.space, attrs, bounds, allowed)

    def _read(
        self,
        values: Columns,
        docs: Offsets,
        lookup: Lookup,
        temperature: float = 1.0,
    ) -> tuple[FrozenChain, NDArray[np.uint64], Offsets]:
        """Whom to ask, and a batch as it reads it."""
        if not (math.isfinite(temperature) and temperature > 0):
            raise ValueError(Errors.LP055.format(temperature=temperature))
        if not self.labels:
            raise ValueError(Errors.LP024)
        bounds, _ = self.bounds(values, docs)
        return self.freeze(), self.space.assemble(values, lookup), bounds
