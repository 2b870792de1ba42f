"""Parameter mixing, slow and obvious: all weight vectors of all shards are added up."""

from collections.abc import Callable, Sequence

import numpy as np

from reference.chain import Hashes, Learner, Weights

Example = tuple[Hashes, Sequence[int]]


class Mixed:
    """Shards that learn apart, pass by pass.

    weights: to begin with.
    make: a learner with these weights that has seen nothing.
    restart_every: pass q = 1, 2, ... starts from the average of all before it when
        q % restart_every == 0.
    kind: "changes" mixes each weight among those who changed it.
    """

    def __init__(
        self,
        weights: Weights,
        make: Callable[[Weights], Learner],
        *,
        restart_every: int = 0,
        kind: str = "examples",
    ):
        self.kind = kind
        self.weights = weights
        self.make = make
        self.restart_every = restart_every
        self.total: Weights = {}
        self.examples = 0
        self.passes = 0

    def learn_pass(
        self, parts: Sequence[Sequence[Example]], *, begins: bool = True
    ) -> float:
        """begins: whether a pass begins here, and not another round of it.

        RETURNS: the loss."""
        self.passes += begins
        if begins and self.restart_every and self.passes > 1:
            if self.passes % self.restart_every == 0:
                self.weights = self.average()
        n = sum(map(len, parts))
        mixed: Weights = {}
        start = {name: np.array(row) for name, row in self.weights.items()}
        learned = []
        loss = 0.0
        for part in parts:
            own = {name: np.array(row) for name, row in self.weights.items()}
            shard = self.make(own)
            for hashes, gold in part:
                loss += shard.learn(hashes, gold) or 0.0
            add(mixed, shard.weights, len(part) / n)
            learned.append((len(part), shard.weights))
            add(self.total, shard.total, 1.0)
        self.examples += n
        self.weights = mixed
        if self.kind == "changes":
            for name, row in mixed.items():
                before = start.get(name, np.zeros_like(row))
                steps = [(k, own.get(name, before) - before) for k, own in learned]
                who = sum(k * (abs(step) > 2e-6) for k, step in steps)
                total = sum(k * step for k, step in steps)
                mixed[name] = before + total / np.maximum(who, 1)
        return loss

    def average(self) -> Weights:
        return {name: total / self.examples for name, total in self.total.items()}


def add(total: Weights, weights: Weights, share: float) -> None:
    for name, row in weights.items():
        total[name] = total.get(name, 0.0) + share * row
