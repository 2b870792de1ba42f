"""Members: several chains over the same labels that are joined into one.

Chains that are trained apart make other mistakes. The joined chain scores a sequence by
the weighted sum of their scores, which makes its probability the normalised product of
theirs: a logarithmic opinion pool (Smith, Cohn and Osborne 2005, Logarithmic opinion
pools for conditional random fields; Sutton, Sindelar and McCallum 2006, Reducing weight
undertraining in structured discriminative learning). Rows of the same feature are added
up, so that to predictions it is one chain over the union of the templates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..errors.check import check_block, check_positive
from ..features.sets import FeatureSet
from ..features.sources import Sources
from ..features.templates import NO_SOURCES
from ..io import model_file
from ..kernels.chains import FeatureBlock, FrozenChain
from .chain import ChainLearner
from .learner_settings import LearnerSettings
from .serialization.pieces import (
    ENSEMBLE,
    Rows,
    check_description,
    describe_sources,
    read_sources,
    suspicion,
    unite_rows,
    write_sources,
)

LARGEST = 1e6  # weight of a member


@dataclass(frozen=True)
class Member:
    """A further chain of a model."""

    features: FeatureSet
    learner: LearnerSettings
    weight: float = 1.0


def member(
    features: FeatureSet, learner: LearnerSettings, weight: float = 1.0
) -> Member:
    """Add a chain with its own templates and learner to a model.

    Args:
        features: The templates (a block such as spacy_latperc.Templates.v1).
        learner: How the weights change.
        weight: The factor of its scores. That of the chain of the model itself is 1.
    """
    check_block("features", features, FeatureSet, "Templates")
    check_block("learner", learner, LearnerSettings, "PassiveAggressive")
    check_positive("weight", weight, zero=True)
    return Member(features, learner, weight)


class MemberChain(ChainLearner):
    """A chain that shares features, labels and gold codes with others."""

    whole: "JoinedChain | None" = None

    def join(self, whole: "JoinedChain") -> None:
        """Share features, gold codes and lock with the others."""
        self.whole = whole
        self.space, self._lock = whole.space, whole._lock

    def export_block(self, b: int) -> Rows:
        """Return the averaged rows of a block."""
        rows = self._frozen or self._learning_chain()
        return rows.export(b)

    def _set_table(self) -> NDArray[np.uint8] | None:
        return self.whole._set_table() if self.whole else None

    def _changed(self) -> None:
        super()._changed()
        if self.whole:
            self.whole.weigh(self.whole.weights)

    @property
    def _own_sources(self) -> Sources:
        return NO_SOURCES  # they are saved with the whole

    def _absent_in(self, header: Mapping[str, Any]) -> set[str]:
        return set()


class JoinedChain(ChainLearner):
    """The weighted sum of several chains."""

    def __init__(
        self, members: Mapping[str, Member], features: FeatureSet, **settings: Any
    ):
        super().__init__(features, **settings)
        for what in ("keep_state", "latent"):
            if getattr(self, what) > (what == "latent"):
                raise ValueError(Errors.LP453.format(what=what))
        self.given = dict(members)
        self._seat(self._new_members())

    def _new_members(self) -> list[MemberChain]:
        settings = ChainLearner._arguments(self)
        absent = self.all_features.sources.keys() - self.features.sources.keys()
        chains = []
        for given in self.given.values():
            settings["features"] = given.features.without(absent)
            settings["learner"] = given.learner
            chain = MemberChain(**settings)
            chain.plan = chain.plan.within(self.plan)
            chain.space = self._make_space()
            chains.append(chain)
        return chains

    def _seat(
        self, chains: list[MemberChain], weights: Sequence[float] | None = None
    ) -> None:
        """Set the chains and their weights."""
        for chain in chains:
            chain.join(self)
        self.members = chains
        self.weigh(weights or [given.weight for given in self.given.values()])

    def weigh(self, weights: Sequence[float]) -> None:
        """Set the weights of the chains."""
        self.weights = list(weights)
        self._frozen = None

    def _lay_out(self) -> None:
        super()._lay_out()
        self._seat(self._new_members())

    def _arguments(self) -> dict[str, Any]:
        return {**super()._arguments(), "members": self.given}

    def _dense_columns(self) -> set[int]:
        return set.intersection(*(chain._dense_columns() for chain in self.members))

    # Learning -----------------------------------------------------------------------

    def set_labels(self, labels: Sequence[str], **rules: Any) -> None:
        """Set the labels of all chains."""
        with self._lock:
            for chain in self.members:
                chain.set_labels(labels, **rules)
            self._take_labels()

    def _take_labels(self) -> None:
        first = self.members[0]
        self.labels, self._rules = first.labels, first._rules
        self._structure = self._make_structure(self.labels, self._rules)
        self._forget_codes()
        self._frozen = None

    def start(self, epoch_size: int, *, keep_features: bool = False) -> None:
        """Restart with zero weights in all chains."""
        with self._lock:
            if not keep_features:
                self.space.clear()
            for chain in self.members:
                chain.start(epoch_size, keep_features=True)
            self._take_labels()

    @property
    def examples(self) -> int:
        """The number of sentences learned from so far."""
        return self.members[0].examples

    @property
    def epoch_size(self) -> int:
        """The number of sentences in an epoch."""
        return self.members[0].epoch_size

    @property
    def is_learning(self) -> bool:
        """True if there are rows in training, which predictions do not need."""
        return any(chain.is_learning for chain in self.members)

    def update(
        self,
        blocks: list[FeatureBlock],
        gold: NDArray[np.int32],
        *,
        external_scores: NDArray[np.float32] | None = None,
        slope: NDArray[np.float32] | None = None,
    ) -> tuple[float, list[int]]:
        """Let each chain learn from a batch; see `ChainLearner.update`. The loss is
        their mean."""
        if slope is not None:
            raise ValueError(Errors.LP453.format(what="a slope of external scores"))
        with self._lock:
            found = [
                chain.update(blocks, gold, external_scores=external_scores)
                for chain in self.members
            ]
        losses, impossible = zip(*found, strict=True)
        return sum(losses) / len(losses), sorted(set().union(*impossible))

    # Predicting ---------------------------------------------------------------------

    def _freeze_when_it_pays(self, n_tokens: int) -> FrozenChain:
        return self.freeze()

    def freeze(self) -> FrozenChain:
        """Return the sum of the averaged weights of all chains."""
        with self._lock:
            if self._frozen is None:
                if self._structure is None:
                    raise ValueError(Errors.LP024)
                frozen = FrozenChain(self._structure)
                for b, (kind, *_) in enumerate(self.plan.blocks):
                    rows = [chain.export_block(b) for chain in self.members]
                    width = self._structure.cells(b)
                    frozen.fill(
                        b, *add_rows(rows, self.weights, width, dense=kind == 0)
                    )
                self._frozen = frozen
            return self._frozen

    # Saving -------------------------------------------------------------------------

    def to_bytes(self, *, bits: int = 32) -> bytes:
        """Serialize all chains into one file."""
        with self._lock:
            parts = [chain.to_bytes(bits=bits) for chain in self.members]
        arrays = {str(i): np.frombuffer(x, dtype=np.uint8) for i, x in enumerate(parts)}
        arrays.update(write_sources(self.features.sources))
        header = {"kind": ENSEMBLE, "names": [*self.given], "weights": self.weights}
        header.update(describe_sources(self.features.sources))
        return model_file.pack(header, arrays)

    def from_bytes(self, data: bytes) -> "JoinedChain":
        """Load the bytes of `to_bytes`; the chains must have the same names."""
        header, arrays = model_file.unpack(data)
        found = header.get("names") if header.get("kind") == ENSEMBLE else None
        names = [*self.given]
        numbers = set(map(str, range(len(names))))
        if found != names or not numbers <= set(arrays):
            listed = found if isinstance(found, list) else ["a single chain"]
            wanted = ", ".join(names)
            raise ValueError(
                Errors.LP454.format(found=", ".join(map(str, listed)), wanted=wanted)
            )
        with self._lock, self._templates_of(data):
            check_description(header, describe_sources(self.features.sources))
            with suspicion():
                known = read_sources(arrays, self.features.sources)
                weights = _read_weights(header, len(names))
            fresh = self._new_members()
            for i, chain in enumerate(fresh):
                chain.from_bytes(arrays[str(i)].tobytes())
            with suspicion():
                if any(chain.labels != fresh[0].labels for chain in fresh):
                    raise ValueError("the members have different labels")
            self.space.clear()
            self._seat(fresh, weights)
            self._take_labels()
            self.adopt_sources(known)
        return self


def add_rows(
    parts: Sequence[Rows], weights: Sequence[float], width: int, *, dense: bool
) -> Rows:
    """Add up rows of weights, each with a factor.

    Args:
        parts: The rows of each chain.
        weights: The factor of each chain.
        width: The number of cells of a row.
        dense: True if most cells of a row have a weight, which is faster.
    """
    keys, sizes, cells = (np.concatenate([part[i] for part in parts]) for i in range(3))
    values = np.concatenate(
        [part[3] * np.float32(w) for part, w in zip(parts, weights, strict=True)]
    )
    if dense:
        found, which = np.unique(keys, return_inverse=True)
        places = np.repeat(which.reshape(-1), sizes) * width + cells
        total = np.bincount(places, values, len(found) * width).astype(np.float32)
        kept = np.flatnonzero(total)
        counts = np.bincount(kept // width, minlength=len(found))
        return (
            found,
            counts.astype(np.uint32),
            (kept % width).astype(np.uint32),
            total[kept],
        )
    rows = unite_rows(keys, sizes, cells)
    total = np.bincount(rows.places, values, len(rows.cells)).astype(np.float32)
    return rows.keys, rows.sizes.astype(np.uint32), rows.cells.astype(np.uint32), total


def _read_weights(header: Mapping[str, Any], n: int) -> list[float]:
    found = header.get("weights")
    if not isinstance(found, list) or len(found) != n:
        raise ValueError(f"'weights' must be {n} numbers")
    for weight in found:
        if not isinstance(weight, int | float) or not 0 <= weight <= LARGEST:
            raise ValueError("a weight of a member is not a number above 0")
    return found
