"""The chains that can learn in shards, and the objective of CRFBatch.v1 in parts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..learners.batch.crf_batch import BatchCRF
from ..learners.batch.gathering import Fitted, Gathered
from ..learners.chain import ChainLearner
from ..learners.members import JoinedChain
from .cluster import ray_module

Vector = NDArray[np.float64]


def chains_of(name: str, component: Any) -> list[ChainLearner]:
    """The chains of a component; ValueError if they cannot learn in shards."""
    learner = component.learner
    chains: list[ChainLearner] = [learner]
    if isinstance(learner, JoinedChain):
        chains = [*learner.members]
    for chain in chains:
        able = isinstance(chain, ChainLearner)
        if not able or not isinstance(chain.settings.epoch_trainer, BatchCRF | None):
            raise ValueError(Errors.LP840.format(name=name))
    if component.counts_while_learning:
        raise ValueError(Errors.LP845.format(name=name))
    return chains


class SharedObjective:
    """The objective of a chain in parts, one a worker, in the place of the trainer that
    minimises all of it. The worker that has `others` minimises the sum."""

    others: Sequence[Any] | None = None

    def __init__(self, trainer: BatchCRF, chain: int, part: int, parts: int):
        self._trainer, self._chain = trainer, chain
        self._part, self._parts = part, parts

    def __call__(self, gathered: Gathered) -> Fitted:
        self._gathered = gathered
        if self.others is None:
            return Fitted(gathered.start, 0.0)
        begun = self._ask("start")
        self.start()
        ray_module().get(begun)
        return self._trainer.fit(gathered, self)

    def start(self) -> None:
        """Prepare to evaluate."""
        given = (self._gathered, self._part, self._parts)
        self._objective = self._trainer.objective(*given)

    def __getattr__(self, name: str) -> Any:
        """Return what all parts have in common, such as the pairs."""
        return getattr(vars(self)["_objective"], name)

    def evaluate_part(self, w: Vector) -> tuple[float, int, Vector]:
        """The value, the number of a bad sentence or -1, and the gradient."""
        gradient = np.empty(len(w))
        return *self._objective.evaluate(w, gradient), gradient

    def evaluate(self, w: Vector, out: Vector) -> tuple[float, int]:
        """The same of the sum of all parts, whose gradient is written to `out`."""
        asked = self._ask("evaluate_part", w)
        parts = [self.evaluate_part(w), *ray_module().get(asked)]
        np.sum([gradient for *_, gradient in parts], axis=0, out=out)
        bad = [number for _, number, _ in parts if number >= 0]
        return sum(value for value, *_ in parts), min(bad, default=-1)

    def _ask(self, method: str, *given: Any) -> list[Any]:
        others = self.others or ()
        return [x.part.remote(self._chain, method, *given) for x in others]


def share_objectives(
    chains: Sequence[ChainLearner], part: int, parts: int
) -> dict[int, SharedObjective]:
    """Give chains that learn from all examples a part of their objective; return these
    by the number of the chain."""
    found = {}
    for number, chain in enumerate(chains):
        if isinstance(trainer := chain.settings.epoch_trainer, BatchCRF):
            found[number] = SharedObjective(trainer, number, part, parts)
            chain.settings = replace(chain.settings, epoch_trainer=found[number])
    return found
