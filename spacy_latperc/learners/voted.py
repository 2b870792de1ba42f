"""Voted perceptron.

Freund & Schapire 1999 ("Large Margin Classification Using the Perceptron Algorithm"),
Figure 1, for whole label sequences: every weight vector of the training has as many
votes as the examples that it survived, and a sentence gets the labels with the most
votes. The average (Collins 2002) is nearly as good and costs one search instead of one
per update. Votes are for comparison, with small models.

Probabilities, scores and n-best sequences still come from the averaged weights.
"""

from collections import Counter
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..io import model_file
from ..kernels.chains import (
    Chain,
    FeatureBlock,
    FeatureSpace,
    Structure,
    record,
    replay,
    take,
)
from .base import Offsets, Prepared
from .chain import ChainLearner
from .serialization.pieces import VOTED, open_model, read_count, suspicion
from .settings import check_latent

MOST_UPDATES = 10_000


def _none(dtype: str) -> NDArray[Any]:
    return np.empty(0, dtype=dtype)


@dataclass(frozen=True)
class Updates:
    """All changes of the weights, in order.

    Attributes:
        examples: The number of examples before each update.
        sizes: The number of changes of each update.
        blocks: The block of each change.
        keys: The feature of each change.
        cells: The cell in the row of each change.
        values: The difference of each change.
    """

    examples: NDArray[np.int64]
    sizes: NDArray[np.uint32]
    blocks: NDArray[np.uint8]
    keys: NDArray[np.uint64]
    cells: NDArray[np.uint32]
    values: NDArray[np.float32]

    @staticmethod
    def none() -> "Updates":
        """Make an empty log."""
        kinds = ("int64", "uint32", "uint8", "uint64", "uint32", "float32")
        return Updates(*map(_none, kinds))

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all fields, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __len__(self) -> int:
        return len(self.examples)

    def __add__(self, others: "Updates") -> "Updates":
        mine, theirs = self.arrays(), others.arrays()
        return Updates(*(np.concatenate([mine[name], theirs[name]]) for name in mine))

    def replay(self, chain: Chain, u: int, ends: NDArray[np.int64], grow: bool) -> None:
        """Repeat update number u on the weights of a chain."""
        part = slice(ends[u] - self.sizes[u], ends[u])
        changes = (self.blocks[part], self.keys[part], self.cells[part])
        replay(chain, int(self.examples[u]), *changes, self.values[part], grow=grow)

    @property
    def ends(self) -> NDArray[np.int64]:
        """Return the end of the changes of each update."""
        return np.cumsum(self.sizes, dtype=np.int64)


def elect(
    updates: Updates,
    examples: int,
    space: FeatureSpace,
    structure: Structure,
    block: FeatureBlock,
    bounds: Offsets,
    allowed: NDArray[np.uint8] | None,
    given: NDArray[np.float32] | None,
) -> NDArray[np.int32]:
    """Find the label sequence with the most votes for each sentence; ties go to the
    first vote.

    Args:
        updates: The updates in order.
        examples: The number of examples seen so far.
        space: An index with at least the features of the block. A vector that differs
            from the last one only in other features votes with it.
        structure: The structure of the chain.
        block: Features of the sentences.
        bounds: First tokens of the sentences, and the end.
        allowed: Labels that tokens may have; None for all.
        given: External scores; None for 0.
    """
    chain = Chain(space, structure, average=False)
    known = space.find_features(updates.keys) > 0
    ends = updates.ends
    votes: list[Counter[bytes]] = [Counter() for _ in bounds[:-1]]
    labels = chain.predict(block, allowed, given)
    since = 0

    def cast(until: int) -> None:
        for s, counts in enumerate(votes):
            counts[labels[bounds[s] : bounds[s + 1]].tobytes()] += until - since

    for u, seen in enumerate(updates.examples.tolist()):
        if not known[ends[u] - updates.sizes[u] : ends[u]].any():
            continue
        cast(seen)
        since = seen
        updates.replay(chain, u, ends, False)
        labels = chain.predict(block, allowed, given)
    cast(examples)
    best = b"".join(max(counts, key=counts.__getitem__) for counts in votes)
    return np.frombuffer(best, dtype=np.int32).copy()


class VotedLearner(ChainLearner):
    """A chain learner that keeps its updates and predicts by vote."""

    def __init__(self, *args: Any, **settings: Any):
        super().__init__(*args, **settings)
        check_latent(self.latent)
        self.updates = Updates.none()

    def start(self, pass_size: int, *, keep_features: bool = False) -> None:
        """Call ChainLearner.start and drop all updates."""
        with self._lock:
            super().start(pass_size, keep_features=keep_features)
            self.updates = Updates.none()

    def set_labels(self, labels: Any, **rules: Any) -> None:
        """Call ChainLearner.set_labels and move the updates to cells of longer rows."""
        with self._lock:
            before = self._structure
            super().set_labels(labels, **rules)
            if before is None or not len(self.updates):
                return
            cells = self.updates.cells.copy()
            for b in range(len(self.plan.blocks)):
                at = self.updates.blocks == b
                cells[at] = self._move_cells(before, b, cells[at])
            self.updates = replace(self.updates, cells=cells)

    def update(
        self,
        blocks: list[FeatureBlock],
        gold: NDArray[np.int32],
        **scores: NDArray[np.float32] | None,
    ) -> tuple[float, list[int]]:
        """Call ChainLearner.update and log the changes."""
        with self._lock:
            chain = self._learning_chain()
            try:
                return super().update(blocks, gold, **scores)
            finally:
                self.updates += Updates(*take(chain))
                if len(self.updates) > MOST_UPDATES:
                    raise ValueError(
                        Errors.LP057.format(
                            updates=len(self.updates), most=MOST_UPDATES
                        )
                    )

    def _learning_chain(self) -> Chain:
        """Repeat all updates, since training needs the last weights and the average."""
        if self._chain is None:
            if self._structure is None or self._frozen is None:
                raise ValueError(Errors.LP024)
            if not len(self.updates) and any(self._frozen.n_rows):
                what = "go on from weights whose updates were not kept"
                raise ValueError(Errors.LP059.format(what=what))
            chain = self._make_chain(
                self.space,
                self._structure,
                pass_size=self._pass_size,
                noise=False,
                pulled=False,
            )
            ends = self.updates.ends
            for u in range(len(self.updates)):
                self.updates.replay(chain, u, ends, True)
            chain.set_progress(self._examples, 0.0)
            self._examples = 0  # the chain counts on from the first
            chain.random_state = self._random_state
            self._chain = chain
        record(self._chain)
        return self._chain

    def best(self, batch: Prepared) -> NDArray[np.int32]:
        """Predict the label ids of a batch by vote; see ChainLearner.predict."""
        if self._structure is None or not self.labels:
            raise ValueError(Errors.LP024)
        with self._lock:
            updates, examples, structure = self.updates, self.examples, self._structure
        space = self.plan.make_space(1, packed=False)
        block = space.extract(batch.attrs, batch.bounds, values=batch.values)
        return elect(
            updates,
            examples,
            space,
            structure,
            block,
            batch.bounds,
            batch.allowed,
            batch.given,
        )

    def to_bytes(self, *, bits: int = 32) -> bytes:
        """Serialize the chain with its updates, which are never rounded."""
        with self._lock:
            inner = np.frombuffer(super().to_bytes(bits=bits), dtype=np.uint8)
            arrays = self.updates.arrays()
            header = {"kind": VOTED, "updates": len(self.updates)}
            return model_file.pack(header, {**arrays, "chain": inner})

    def from_bytes(self, data: bytes) -> "VotedLearner":
        """Load the bytes of `to_bytes`. Bad bytes leave the learner unchanged."""
        header, arrays = open_model(data, VOTED, {}, Errors.LP025)
        with suspicion():
            n = read_count(header, "updates")
            updates = _read_updates(arrays, n)
            inner = arrays["chain"].tobytes()
        with self._lock, self._templates_of(inner):
            loaded = self._load(inner)
            for b in np.unique(updates.blocks).tolist():
                widest = updates.cells[updates.blocks == b].max()
                if b >= len(self.plan.blocks) or widest >= loaded.structure.cells(b):
                    raise ValueError(Errors.LP023.format(error="updates out of place"))
            self._adopt(loaded, inner)
            self.updates = updates
        return self


def _read_updates(arrays: dict[str, np.ndarray], n: int) -> Updates:
    wanted = Updates.none().arrays()
    for name, empty in wanted.items():
        if arrays[name].dtype != empty.dtype or arrays[name].ndim != 1:
            raise ValueError(f"the updates' {name} are of another kind")
    updates = Updates(*(arrays[name] for name in wanted))
    total = int(updates.sizes.sum())
    if len(updates) != n or len(updates.sizes) != n:
        raise ValueError("updates are missing")
    for part in (updates.blocks, updates.keys, updates.cells, updates.values):
        if len(part) != total:
            raise ValueError("updates end early or late")
    if not np.isfinite(updates.values).all():
        raise ValueError("an update is not finite")
    return updates
