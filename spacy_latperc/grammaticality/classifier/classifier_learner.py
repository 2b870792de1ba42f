"""A classifier of sentences over latent chunkings: features, views, updates.

Like ChainLearner it works on arrays: columns of token attributes with Doc offsets in,
and for each sentence a score out, above 0 for a positive. Updates take a lock.
Predictions read frozen weights, so any number of threads may predict at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...errors.check import check_choice, check_count, check_positive, check_seed
from ...features.sets import FeatureSet
from ...io import model_file
from ...kernels.chains import (
    COMBINE,
    Chain,
    Classifier,
    FeatureBlock,
    FeatureSpace,
    FrozenChain,
    FrozenClassifier,
)
from ...learners.base import Prepared
from ...learners.blocks import Plan, plan_blocks
from ...learners.chain import ChainLearner
from ...learners.serialization import pieces
from ...learners.serialization.pieces import (
    describe_sources,
    read_sources,
    write_sources,
)
from .classifier_inference import ByView, SentenceInference
from .classifier_settings import LCLR, ClassifierSettings, Progress
from .views import CHUNK_TYPES, make_chunk_views, make_inventories, make_structure
from .warm_start import scaled_copy

FULL_HASH = 64
KIND = "classifier"  # of model file
# Scoring a token costs as much as freezing so many rows.
TOKENS_PER_ROW = 2
COUNTS = ("examples", "averaged", "pass_size")


class OneClassError(ValueError):
    """An error for training data with sentences of one class only."""


@dataclass
class LabelledSentences:
    """Sentences as features, and their classes: 1, -1, or 0 for unknown."""

    features: list[FeatureBlock] = field(default_factory=list)
    classes: list[NDArray[np.int8]] = field(default_factory=list)

    def add(self, features: Sequence[FeatureBlock], classes: NDArray[np.int8]) -> None:
        """Append sentences."""
        self.features += features
        self.classes.append(classes)

    @property
    def gold(self) -> NDArray[np.int8]:
        """The class of each sentence."""
        return np.concatenate([np.zeros(0, dtype=np.int8), *self.classes])

    @property
    def examples(self) -> int:
        """The number of sentences that have a class."""
        return sum(int(np.count_nonzero(part)) for part in self.classes)


class LatentClassifier(SentenceInference):
    """A classifier that scores a sentence by its best chunking.

    Args:
        features: Templates over words and tags, each paired with the chunk label.
        settings: The settings of training (online.py, lclr.py).
        schemes: The representation of each view. One may occur several times, with
            noise.
        types: The chunk types; none for a linear classifier without latent structure.
        combine: "add": each view keeps its own best chunking, and scores add up (MV,
            3.4.1). "vote": all views take the chunking with the most votes (Algorithm
            3). "cotrain": each view takes the chunking that the others voted for
            (Algorithm 4).
        hash_bits: The logarithm of the size of a table that features share; None gives
            each feature that was updated a row of its own.
        seed: The seed of the order of examples and of noise.
    """

    packs_features = False

    def __init__(
        self,
        features: FeatureSet,
        settings: ClassifierSettings,
        *,
        schemes: Sequence[str] = ("IOB2",),
        types: Sequence[str] = CHUNK_TYPES,
        combine: str = "add",
        hash_bits: int | None = None,
        seed: int = 0,
    ):
        kinds = [str(t) for t in features.templates if t.kind == "tri"]
        if kinds:
            raise ValueError(Errors.LP018.format(template=kinds[0], lowest=2, order=1))
        if hash_bits is not None:
            size = "18 for about 20 MB, omit it for exact features"
            check_count("hash_bits", hash_bits, low=8, high=30, hint=size)
        check_seed(seed)
        plan = plan_blocks(features, latent=1, order=1)
        bits = hash_bits or FULL_HASH
        super().__init__(features, settings, plan, seed=seed, bits=bits)
        self.schemes = tuple(schemes)
        self.types = tuple(types)
        self.combine = check_choice("combine", combine, COMBINE)
        self.hash_bits = hash_bits
        self.inventories = make_inventories(self.schemes, self.types)
        self.views = make_chunk_views(self.inventories, combine)
        self._chains: list[FrozenChain] = self._empty_chains(self.space)
        self._frozen: FrozenClassifier | None = None
        self._classifier: Classifier | None = None
        self._examples = 0
        self._averaged = 0  # examples in the average
        self._live_tokens = 0  # answered by the rows that learn since they changed

    def _arguments(self) -> dict[str, Any]:
        """The arguments of a learner with the same settings."""
        return {
            "features": self.all_features,
            "settings": self.settings,
            "schemes": self.schemes,
            "types": self.types,
            "combine": self.combine,
            "hash_bits": self.hash_bits,
            "seed": self.seed,
        }

    def _make_plan(self, features: FeatureSet) -> Plan:
        return plan_blocks(features, latent=1, order=1)

    def _lay_out(self) -> None:
        self._chains = self._empty_chains(self.space)
        self._frozen = self._classifier = None
        self._examples = self._averaged = 0

    def _empty_chains(self, space: FeatureSpace) -> list[FrozenChain]:
        return [
            FrozenChain(make_structure(space, self.plan, inventory))
            for inventory in self.inventories
        ]

    # Learning -----------------------------------------------------------------------

    def start(
        self, positives: int, negatives: int, *, keep_features: bool = False
    ) -> None:
        """Restart with zero weights."""
        self._check_classes(positives, negatives)
        with self._lock:
            if not keep_features:
                self.space.clear()
            self._chains = self._empty_chains(self.space)
            self._classifier = None
            self._examples = self._averaged = 0
            self._random_state = self.seed
            self._epoch_size = self.settings.epoch_size or positives + negatives
            self._changed()

    def start_from(
        self, chunker: ChainLearner, *, view: int = 0, limit: float = 0.1
    ) -> None:
        """Begin a view with the weights of a chunker over the same labels.

        Call this after `start`. Other views begin with zeros.
        """
        check_positive("limit", limit)
        with self._lock:
            self._settle()
            self._chains[view] = scaled_copy(
                chunker,
                self.space,
                self.plan,
                self._chains[view].structure,
                self.inventories[view].labels,
                limit,
            )
            self._classifier = None
            self._changed()

    def _check_classes(self, positives: int, negatives: int) -> None:
        if min(positives, negatives) < 1:
            raise OneClassError(
                Errors.LP436.format(positives=positives, negatives=negatives)
            )

    @property
    def examples(self) -> int:
        """The number of sentences learned from so far."""
        return self._examples

    @property
    def passes(self) -> int:
        """The number of complete epochs so far."""
        return self._examples // self._epoch_size if self._epoch_size else 0

    @property
    def n_rows(self) -> list[list[int]]:
        """The number of rows of each block, by view."""
        chains = self._classifier.chains if self._classifier else self._chains
        return [chain.n_rows for chain in chains]

    @property
    def nbytes(self) -> int:
        """The memory of the feature index and of the rows in training."""
        chains = self._classifier.chains if self._classifier else []
        return self.space.nbytes + sum(chain.nbytes for chain in chains)

    def update(self, blocks: list[FeatureBlock], gold: NDArray[np.int8]) -> Progress:
        """Learn from a batch.

        The batch learners need all the examples: an update is one outer iteration.

        Args:
            blocks: The features of the sentences.
            gold: 1 or -1 for each sentence; 0 leaves it out. Empty sentences are left
                out, too.
        """
        gold = np.ascontiguousarray(gold, dtype=np.int8)
        with self._lock:
            if self.settings.needs_all:
                self._check_classes(int((gold > 0).sum()), int((gold < 0).sum()))
            classifier = self._learning()
            self._changed()
            n = int(np.count_nonzero(gold))
            if self.settings.needs_all:
                counts = classifier.iterate(
                    blocks,
                    gold,
                    strict=self.settings.name == LCLR,
                    most_epochs=self.settings.most_epochs,
                )
            else:
                counts = classifier.update(
                    blocks,
                    gold,
                    unaveraged=self._unaveraged(n),
                )
            if not np.isfinite(counts["loss"]):
                raise ValueError(Errors.LP437.format(examples=self._examples))
            self._examples += n
            return Progress(**counts)

    def _unaveraged(self, n: int) -> int:
        """Count the next n examples that come before the average; -1 for all."""
        if self.settings.average_from < 1:
            return -1
        wait = (self.settings.average_from - 1) * self._epoch_size - self._examples
        return -1 if wait >= n else max(wait, 0)

    def _learning(self) -> Classifier:
        """Return the rows in training, made from the frozen ones when training begins
        or continues after loading."""
        if self._classifier is None:
            chains = []
            for number, frozen in enumerate(self._chains):
                chain = Chain(
                    self.space,
                    frozen.structure,
                    average=self.settings.average_from > 0,
                    noise=self.settings.noise,
                    seed=self.seed + number,
                )
                chain.load(frozen, self._averaged)
                chains.append(chain)
            self._classifier = Classifier(
                chains,
                self.views,
                cap=self.settings.cap,
                squared=self.settings.squared,
            )
            self._classifier.random_state = self._random_state
        return self._classifier

    def _changed(self) -> None:
        self._live_tokens = 0
        self._frozen = None
        self._bytes = None

    def _settle(self) -> None:
        """Freeze the current weights into the chains."""
        if self._frozen is None and self._classifier is not None:
            self._chains = [chain.freeze() for chain in self._classifier.chains]
            self._random_state = self._classifier.random_state
            self._averaged = self._classifier.chains[0].examples

    # Predicting ---------------------------------------------------------------------

    def freeze(self) -> FrozenClassifier:
        """Return the current weights (averaged if set so), which never change."""
        frozen = self._frozen
        if frozen is None:
            with self._lock:
                self._settle()
                frozen = self._frozen = FrozenClassifier(self._chains, self.views)
        return frozen

    def _predict_live(self, batch: Prepared) -> ByView | None:
        """Predict from the rows in training, unless so many tokens were scored since
        the last update that freezing would cost less; then None."""
        if self._frozen is not None or self._classifier is None:
            return None
        with self._lock:
            classifier = self._classifier
            if self._frozen is not None or classifier is None:
                return None
            self._live_tokens += batch.n_tokens
            if self._live_tokens * TOKENS_PER_ROW > sum(map(sum, self.n_rows)):
                return None
            block = self.space.extract(
                batch.attributes, batch.bounds, grow=False, values=batch.values
            )
            return classifier.predict(block)

    # Saving -------------------------------------------------------------------------

    def _pack(self, bits: int) -> bytes:
        self.freeze()
        header: dict[str, Any] = {
            "kind": KIND,
            **self._shape(),
            "examples": self._examples,
            "averaged": self._averaged,
            "pass_size": self._epoch_size,
            "random_state": self._random_state,
        }
        arrays = write_sources(self.features.sources)
        for name, chain, b in _blocks(self._chains):
            arrays.update(pieces.write_rows(header, name, chain.export(b), bits))
        return model_file.pack(header, arrays)

    def from_bytes(self, data: bytes) -> "LatentClassifier":
        """Load the bytes of `to_bytes`; templates, views and types must agree."""
        with self._lock, self._templates_of(data):
            space = self._make_space()
            chains = self._empty_chains(space)
            header, arrays = pieces.open_model(data, KIND, self._shape(), Errors.LP025)
            with pieces.suspicion():
                known = read_sources(arrays, self.features.sources)
                for name, chain, b in _blocks(chains):
                    chain.fill(b, *pieces.read_rows(header, arrays, name))
                counts = [pieces.read_count(header, name) for name in COUNTS]
                random_state = pieces.read_count(header, "random_state", bits=64)
            # Nothing can fail from here on: bad bytes leave the learner as it was.
            self.space, self._chains, self._classifier = space, chains, None
            self._examples, self._averaged, self._epoch_size = counts
            self._random_state = random_state
            self.adopt_sources(known)
            self._changed()
            self._bytes = bytes(data)  # rounded ones stay so
        return self

    def _shape(self) -> dict[str, Any]:
        """The properties that a file must share with this learner."""
        return {
            "templates": [str(t) for t in self.features.templates],
            "schemes": [inventory.scheme.name for inventory in self.inventories],
            "types": list(self.types),
            "combine": self.combine,
            "hash_bits": self.hash_bits or FULL_HASH,
            "blocks": self.plan.layout,
            **describe_sources(self.features.sources),
        }


def _blocks(chains: Sequence[FrozenChain]) -> Iterator[tuple[str, FrozenChain, int]]:
    """Yield each block of each view, with its name in a file."""
    for view, chain in enumerate(chains):
        for b in range(len(chain.structure.blocks)):
            yield f"{view}.{b}", chain, b
