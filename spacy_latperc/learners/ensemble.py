"""An ensemble of chains over the same features that vote.

Shen & Sarkar 2005 train one chunker for each chunk representation and let them vote.
Here the chains learn in the same epoch: features are extracted once and have one index,
while each chain has its own labels and its own rows. The vote itself is in
schemes/vote.py.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..features.sources import Sources
from ..features.templates import NO_SOURCES
from ..io import model_file
from ..kernels.chains import FeatureBlock
from .base import Prepared
from .chain import ChainLearner
from .serialization.pieces import ENSEMBLE, check_description, suspicion
from .serialization.source_arrays import describe_sources, read_sources, write_sources


class Voter(ChainLearner):
    """A chain of the ensemble, which shares its features with the others."""

    def join(self, ensemble: "ChainEnsemble") -> None:
        """Share features and lock with the others."""
        self.space = ensemble.space
        self._lock = ensemble._lock  # extraction changes the shared index, too

    @property
    def _own_sources(self) -> Sources:
        return NO_SOURCES  # they are saved with the ensemble

    def _absent_in(self, header: Mapping[str, Any]) -> set[str]:
        return set()


class ChainEnsemble(ChainLearner):
    """Several chains with the interface of one: labels are [tokens, voters], and masks
    of allowed labels are concatenated over voters.

    Args:
        names: The names of the voters in a model file.
    """

    def __init__(self, names: Sequence[str], **settings: Any):
        super().__init__(**settings)
        if self.keep_state:
            raise ValueError(Errors.LP453.format(what="keep_state"))
        self.names = list(names)
        self._seat(self._new_voters())

    def _new_voters(self) -> list[Voter]:
        settings = {**ChainLearner._arguments(self), "features": self.features}
        return [Voter(**settings) for _ in self.names]

    def _lay_out(self) -> None:
        super()._lay_out()
        self._seat(self._new_voters())

    def _seat(self, voters: list[Voter]) -> None:
        """Set the voters."""
        for voter in voters:
            voter.join(self)
        self.voters = voters

    @classmethod
    def like(cls, chain: ChainLearner, names: Sequence[str]) -> "ChainEnsemble":
        """Make voters with the settings of a chain."""
        return cls(names, **ChainLearner._arguments(chain))

    def _arguments(self) -> dict[str, Any]:
        return {**super()._arguments(), "names": self.names}

    # Learning -----------------------------------------------------------------------

    def start(self, epoch_size: int, *, keep_features: bool = False) -> None:
        """Restart with zero weights in all chains."""
        with self._lock:
            if not keep_features:
                self.space.clear()
            for voter in self.voters:
                voter.start(epoch_size, keep_features=True)

    @property
    def examples(self) -> int:
        """The number of sentences learned from so far."""
        return self.voters[0].examples

    @property
    def epoch_size(self) -> int:
        """The number of sentences in an epoch."""
        return self.voters[0].epoch_size

    def update(
        self,
        blocks: list[FeatureBlock],
        gold: NDArray[np.int32],
        *,
        external_scores: NDArray[np.float32] | None = None,
        slope: NDArray[np.float32] | None = None,
    ) -> tuple[float, list[int]]:
        """Learn from a batch: each chain from its column of the gold [tokens, voters],
        and its columns of the external scores.

        Returns:
            The mean loss of the chains, and the sentences that some of them could not
            learn from.
        """
        impossible: set[int] = set()
        losses = []
        with self._lock:
            slopes = self._split(slope)
            for voter, column, scores, part in zip(
                self.voters, gold.T, self._split(external_scores), slopes, strict=True
            ):
                loss, left_out = voter.update(
                    blocks,
                    np.ascontiguousarray(column),
                    external_scores=scores,
                    slope=part,
                )
                losses.append(loss)
                impossible.update(left_out)
            if slope is not None:
                np.concatenate(slopes, axis=1, out=slope)
        return sum(losses) / len(losses), sorted(impossible)

    # Predicting ---------------------------------------------------------------------

    def best(self, batch: Prepared) -> NDArray[np.int32]:
        """Predict the label ids of a batch that was read, [tokens, voters]."""
        columns = [
            voter.best(part)
            for voter, part in zip(self.voters, self.of_voters(batch), strict=True)
        ]
        return np.stack(columns, axis=1)

    def of_voters(self, batch: Prepared) -> list[Prepared]:
        """Return the batch of each voter, with its columns of the allowed labels and
        the external scores."""
        allowed = self._split(batch.allowed)
        split = self._split(batch.external_scores)
        return [
            batch.within(mask).starting_from(scores)
            for mask, scores in zip(allowed, split, strict=True)
        ]

    def _split(self, table: NDArray[Any] | None) -> list[Any]:
        if table is None:
            return [None] * len(self.voters)
        ends = np.cumsum([len(voter.labels) for voter in self.voters])
        if table.shape[1] == ends[-1] * self.latent:  # by states
            ends *= self.latent
        parts = np.split(table, ends[:-1], axis=1)
        return [np.ascontiguousarray(part) for part in parts]

    # Saving -------------------------------------------------------------------------

    def to_bytes(self, *, bits: int = 32) -> bytes:
        """Serialize all chains into one file."""
        with self._lock:
            parts = [voter.to_bytes(bits=bits) for voter in self.voters]
        arrays = {str(i): np.frombuffer(x, dtype=np.uint8) for i, x in enumerate(parts)}
        arrays.update(write_sources(self.features.sources))
        header = {"kind": ENSEMBLE, "names": self.names}
        header.update(describe_sources(self.features.sources))
        return model_file.pack(header, arrays)

    def from_bytes(self, data: bytes) -> "ChainEnsemble":
        """Load the bytes of `to_bytes`; the voters must have the same names."""
        header, arrays = model_file.unpack(data)
        found = header.get("names") if header.get("kind") == ENSEMBLE else None
        numbers = set(map(str, range(len(self.names))))
        if found != self.names or not numbers <= set(arrays):
            listed = found if isinstance(found, list) else ["a single chain"]
            raise ValueError(
                Errors.LP454.format(
                    found=", ".join(map(str, listed)), wanted=", ".join(self.names)
                )
            )
        with self._lock, self._templates_of(data):
            check_description(header, describe_sources(self.features.sources))
            with suspicion():
                known = read_sources(arrays, self.features.sources)
            fresh = self._new_voters()
            for i, voter in enumerate(fresh):
                voter.from_bytes(arrays[str(i)].tobytes())
            self.space.clear()
            self._seat(fresh)
            self.adopt_sources(known)
        return self
