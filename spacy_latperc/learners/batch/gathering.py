"""Batch training: the first epoch collects examples and then trains on all of them;
later epochs change nothing.

Learners that must see all examples together (L-BFGS, counting) use this. An epoch has
as many sentences as initialisation counted, so the corpus cannot be a stream.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...features.sets import FeatureSet
from ...kernels.chains import (
    FeatureBlock,
    FeatureSpace,
    FrozenChain,
    Structure,
    impossible_sentences,
)
from ..blocks import Plan
from ..serialization.pieces import Rules

# A child of spaCy's logger, so its messages appear likewise.
logger = logging.getLogger("spacy.latperc")


@dataclass(frozen=True)
class Gathered:
    """A collected epoch, with the description of the learner.

    Attributes:
        sets: The label sets of gold codes below -1, [label sets, labels].
        start: The initial weights: all zero, or the weights of a loaded model.
    """

    features: FeatureSet
    plan: Plan
    space: FeatureSpace
    structure: Structure
    latent: int
    order: int
    seed: int
    blocks: list[FeatureBlock]
    gold: NDArray[np.int32]
    sets: NDArray[np.uint8] | None
    rules: Rules
    start: FrozenChain


@dataclass(frozen=True)
class Fitted:
    """The fitted weights and their loss."""

    weights: FrozenChain
    loss: float
    error: Exception | None = None


@runtime_checkable
class EpochTrainer(Protocol):
    """A trainer on a whole epoch."""

    def __call__(self, gathered: Gathered) -> Fitted:
        """Train on the collected epoch."""
        ...


class EpochGatherer:
    """A collector of the sentences of an epoch."""

    def __init__(self, size: int):
        self.size = size
        self.blocks: list[FeatureBlock] = []
        self.gold: list[NDArray[np.int32]] = []
        self._seen = 0
        self._loss: float | None = None

    @property
    def complete(self) -> bool:
        """True if the epoch is complete and training has not happened yet."""
        return self._loss is None and self._seen >= self.size

    def add(
        self,
        space: FeatureSpace,
        structure: Structure,
        blocks: Sequence[FeatureBlock],
        gold: NDArray[np.int32],
        sets: NDArray[np.uint8] | None,
    ) -> list[int]:
        """Collect examples until the epoch is complete.

        Returns:
            The numbers of the sentences whose gold no path can have.
        """
        blocks = list(blocks)
        impossible = impossible_sentences(space, structure, blocks, gold, sets)
        if self._loss is None:
            self.blocks += blocks
            self.gold.append(np.array(gold, dtype=np.int32))
            self._seen += sum(block.n_sentences for block in blocks)
        return impossible

    def take_back(self, blocks: Sequence[FeatureBlock]) -> None:
        """Remove the last examples: training was interrupted."""
        del self.blocks[len(self.blocks) - len(blocks) :]
        self.gold.pop()
        self._seen -= sum(block.n_sentences for block in blocks)

    def warn_if_incomplete(self) -> None:
        """Warn if weights are used before training."""
        if self._loss is None and 0 < self._seen < self.size:
            logger.info(
                "Saving before the first pass is complete (%d of %d sentences): "
                "nothing was learned yet.",
                self._seen,
                self.size,
            )

    def finish(self, loss: float) -> None:
        """Drop the examples after training."""
        self.blocks, self.gold = [], []
        self._loss = loss

    def loss_of(self, blocks: Sequence[FeatureBlock]) -> float:
        """Return the share of these sentences in the loss of the fitted model, so that
        shares add up over an epoch."""
        if self._loss is None:
            return 0.0
        return self._loss * sum(block.n_sentences for block in blocks) / self._seen


def check_epoch_size(name: str, size: int) -> int:
    """Refuse an epoch of unknown size."""
    if size < 1:
        raise ValueError(Errors.LP060.format(name=name))
    return size


def no_rule(*_: Any) -> NoReturn:
    """Refuse to make a rule, which would learn sentence by sentence."""
    raise TypeError("a learner of whole passes has no rule")
