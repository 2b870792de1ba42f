"""Learning from whole passes: examples are gathered in the first, then learned from at
once; later passes change nothing.

For learners that must see all examples together (L-BFGS, counting). A pass is as many
sentences as initialisation counted, so the corpus cannot be a stream.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...features.sets import FeatureSet
from ...kernels.chains import FeatureBlock, FeatureSpace, FrozenChain, Structure
from ...kernels.likelihood import impossible_sentences
from ..blocks import Plan
from ..serialization.pieces import Rules

# Under the host's logger: shown as its messages are.
logger = logging.getLogger("spacy.latperc")


@dataclass(frozen=True)
class Gathered:
    """A pass, and what a trainer needs to know of the learner.

    Attributes:
        features: The templates.
        plan: How they are laid out.
        space: The index of features.
        structure: Which labels and states there are, and what may follow what.
        latent: Latent states per label.
        order: Of the chain.
        seed: Of initial noise.
        blocks: Features of the sentences.
        gold: The gold codes of their tokens.
        sets: [label sets, labels], which gold codes below -1 speak of.
        rules: Which labels may follow, begin and end.
        start: The weights so far; all zero, or those of a loaded model.
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
    """The weights that were found and their loss.

    Attributes:
        weights: The weights.
        loss: Their loss.
        error: Why learning had to stop early; the weights are the last good ones.
    """

    weights: FrozenChain
    loss: float
    error: Exception | None = None


@runtime_checkable
class PassTrainer(Protocol):
    """Learns from a whole pass."""

    def __call__(self, gathered: Gathered) -> Fitted:
        """Learn from the pass."""
        ...


class PassGatherer:
    """Collects a pass of so many sentences."""

    def __init__(self, size: int):
        self.size = size
        self.blocks: list[FeatureBlock] = []
        self.gold: list[NDArray[np.int32]] = []
        self._seen = 0
        self._loss: float | None = None

    @property
    def complete(self) -> bool:
        """Whether the pass is there and still has to be learned from."""
        return self._loss is None and self._seen >= self.size

    def add(
        self,
        space: FeatureSpace,
        structure: Structure,
        blocks: Sequence[FeatureBlock],
        gold: NDArray[np.int32],
        sets: NDArray[np.uint8] | None,
    ) -> list[int]:
        """Keep examples until the pass is whole.

        Returns:
            Numbers of the sentences that no path agrees with.
        """
        blocks = list(blocks)
        impossible = impossible_sentences(space, structure, blocks, gold, sets)
        if self._loss is None:
            self.blocks += blocks
            self.gold.append(np.array(gold, dtype=np.int32))
            self._seen += sum(block.n_sentences for block in blocks)
        return impossible

    def take_back(self, blocks: Sequence[FeatureBlock]) -> None:
        """Forget what was added last: learning from it was broken off."""
        del self.blocks[len(self.blocks) - len(blocks) :]
        self.gold.pop()
        self._seen -= sum(block.n_sentences for block in blocks)

    def warn_if_incomplete(self) -> None:
        """Weights are asked for before there are any."""
        if self._loss is None and 0 < self._seen < self.size:
            logger.info(
                "Saving before the first pass is complete (%d of %d sentences): "
                "nothing was learned yet.",
                self._seen,
                self.size,
            )

    def finish(self, loss: float) -> None:
        """The pass was learned from: let it go."""
        self.blocks, self.gold = [], []
        self._loss = loss

    def loss_of(self, blocks: Sequence[FeatureBlock]) -> float:
        """The share of these sentences in the loss of the fitted model, so that it adds
        up over a pass."""
        if self._loss is None:
            return 0.0
        return self._loss * sum(block.n_sentences for block in blocks) / self._seen


def check_pass_size(name: str, size: int) -> int:
    """A pass must be known beforehand."""
    if size < 1:
        raise ValueError(Errors.LP060.format(name=name))
    return size


def no_rule(*_: Any) -> NoReturn:
    """In the place of a rule, which learns sentence by sentence."""
    raise TypeError("a learner of whole passes has no rule")
