"""What a chain learner answers: labels by the rule of its search, the n best, and how
probable they are.

Every question goes to the averaged weights, written out: any number of threads may ask.
"""

import math

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..kernels.chains import FeatureSpace, FrozenChain
from .base import Learner, Prepared
from .settings import SearchSettings


class Inference(Learner):
    """Questions to a chain learner: see ChainLearner."""

    labels: list[str]
    latent: int
    search: SearchSettings

    def freeze(self) -> FrozenChain:
        """The averaged weights of now."""
        raise NotImplementedError

    def _set_table(self) -> NDArray[np.uint8] | None:
        raise NotImplementedError

    def n_best(
        self, batch: Prepared, k: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int32]]:
        """The k best label sequences of each sentence (kernels/lattice/kbest.hh).

        Returns:
            Label ids of all of them in a row, best first; their scores; and how many
            each sentence has, which is none where `allowed` leaves no path.
        """
        if k < 1:
            raise ValueError(Errors.LP050.format(k=k))
        frozen = self._asked()
        return frozen.kbest(
            *self._columns(batch), k, *limits_of(batch), values=batch.values
        )

    def marginals(
        self, batch: Prepared, temperature: float = 1.0
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """The probability of each label at each token, [tokens, labels], and log Z of
        each sentence: NaN and -inf where `allowed` leaves no path.

        Args:
            batch: The sentences.
            temperature: Divides all scores; above 1 it makes the learner less sure.
        """
        return self._asked(temperature).marginals(
            *self._columns(batch),
            *limits_of(batch),
            temperature=temperature,
            values=batch.values,
        )

    def max_marginals(self, batch: Prepared) -> NDArray[np.float32]:
        """The score of the best path with each label at each token, [tokens, labels];
        -inf where there is none."""
        return self._asked().max_marginals(
            *self._columns(batch), *limits_of(batch), values=batch.values
        )

    def log_scores(
        self, batch: Prepared, labels: NDArray[np.int32], temperature: float = 1.0
    ) -> NDArray[np.float64]:
        """The log probability of given labels, for each sentence, the latent paths
        summed: -inf where no path has them, NaN where `allowed` leaves none at all.

        Args:
            batch: The sentences.
            labels: Ids, or the codes of gold: UNKNOWN, or what `label_set` gave.
            temperature: See `marginals`.
        """
        return self._asked(temperature).log_scores(
            *self._columns(batch),
            np.ascontiguousarray(labels, dtype=np.int32),
            *limits_of(batch),
            temperature=temperature,
            sets=self._set_table(),
            values=batch.values,
        )

    def span_probabilities(
        self,
        batch: Prepared,
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        types: NDArray[np.int32],
        *,
        type_of: NDArray[np.int32],
        boundary: NDArray[np.bool_],
        temperature: float = 1.0,
    ) -> NDArray[np.float64]:
        """The exact probability that each chunk is there, whatever is around it.

        NaN in a sentence where `allowed` leaves no path.

        Args:
            batch: The sentences.
            starts: First tokens of the chunks; each lies within one sentence.
            ends: The tokens after their last ones.
            types: Their types.
            type_of: The type of each label, as schemes.LabelInventory has it.
            boundary: Which labels a chunk ends or begins between, likewise.
            temperature: See `marginals`.
        """
        return self._asked(temperature).span_probabilities(
            *self._columns(batch),
            np.ascontiguousarray(starts, dtype=np.int64),
            np.ascontiguousarray(ends, dtype=np.int64),
            np.ascontiguousarray(types, dtype=np.int32),
            np.ascontiguousarray(type_of, dtype=np.int32),
            np.ascontiguousarray(boundary, dtype=np.uint8),
            *limits_of(batch),
            temperature=temperature,
            values=batch.values,
        )

    def _decode(self, frozen: FrozenChain, batch: Prepared) -> NDArray[np.int32]:
        """Labels, by the rule that the search names (see search.py)."""
        columns, values = self._columns(batch), batch.values
        if self.search.decode == "label_marginal":
            return frozen.decode_marginals(*columns, *limits_of(batch), values=values)
        if self.search.decode == "label_sequence" and self.latent > 1:
            return frozen.decode_sequences(
                *columns, self.search.n, *limits_of(batch), values=values
            )
        return frozen.decode(*columns, *limits_of(batch), values=values)

    def _columns(
        self, batch: Prepared
    ) -> tuple[FeatureSpace, NDArray[np.uint64], NDArray[np.int64]]:
        """What every question begins with: the sentences."""
        return self.space, batch.attrs, batch.bounds

    def _asked(self, temperature: float = 1.0) -> FrozenChain:
        """The frozen weights, once the question makes sense."""
        if not (math.isfinite(temperature) and temperature > 0):
            raise ValueError(Errors.LP055.format(temperature=temperature))
        if not self.labels:
            raise ValueError(Errors.LP024)
        return self.freeze()


def limits_of(
    batch: Prepared,
) -> tuple[NDArray[np.uint8] | None, NDArray[np.float32] | None]:
    """What every question ends with: labels that are allowed, scores from outside."""
    return batch.allowed, batch.given
