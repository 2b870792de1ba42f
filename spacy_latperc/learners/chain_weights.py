"""The state of a chain: labels, rows in training, frozen rows, and their bytes."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..errors.check import check_count, check_flag, check_seed
from ..features.sets import FeatureSet
from ..features.sources import Sources
from ..kernels.chains import Chain, FeatureSpace, FrozenChain, Structure
from ..kernels.checks import warn_if_slow
from .blocks import Plan, plan_blocks
from .chain_inference import Inference
from .learner_settings import LearnerSettings, SearchSettings
from .serialization.chain_file import Counters, LoadedChain, read_chain, write_chain
from .serialization.pieces import Rows, Rules, describe_sources

INITIAL_NOISE = 1e-3
MAX_ORDER = 2
Self = TypeVar("Self", bound="ChainWeights")


class ChainWeights(Inference):
    """A linear chain with optional latent states, and its weights: rows in training,
    and frozen rows with the averages. Each is made from the other on demand."""

    _chain: Chain | None
    _structure: Structure | None
    _frozen: FrozenChain | None

    def __init__(
        self,
        features: FeatureSet,
        learner: LearnerSettings,
        search: SearchSettings,
        *,
        latent: int = 1,
        order: int = 1,
        seed: int = 0,
        keep_state: bool = False,
        boundaries: bool = True,
    ):
        check_count("latent", latent, hint="1 for no latent states")
        check_count("order", order, low=0, high=MAX_ORDER)
        check_seed(seed)
        check_flag("keep_state", keep_state)
        check_flag("boundaries", boundaries)
        for kind, lowest in (("edge", 1), ("tri", 2)):
            named = features.of_kind(kind)
            if named and order < lowest:
                raise ValueError(
                    Errors.LP018.format(template=named[0], lowest=lowest, order=order)
                )
        plan = plan_blocks(features, latent=latent, order=order)
        super().__init__(features, learner, plan, seed=seed, bits=64)
        self.search = search
        self.latent = latent
        self.order = order
        self.keep_state = keep_state
        self.boundaries = boundaries
        self.labels: list[str] = []
        self._rules: Rules = {}
        self._structure = None
        self._chain = None
        self._frozen = None
        self._examples = 0  # before the rows in training were made
        self._live_tokens = 0  # predicted by the rows in training since they changed
        self._forget_codes()
        self._forget_epoch()

    def _arguments(self) -> dict[str, Any]:
        """The arguments of a learner with the same settings."""
        return {
            "features": self.all_features,
            "learner": self.settings,
            "search": self.search,
            "latent": self.latent,
            "order": self.order,
            "seed": self.seed,
            "keep_state": self.keep_state,
            "boundaries": self.boundaries,
        }

    def _make_plan(self, features: FeatureSet) -> Plan:
        return plan_blocks(features, latent=self.latent, order=self.order)

    def _lay_out(self) -> None:
        self._structure = self._chain = self._frozen = None
        self._examples = 0
        self._forget_epoch()

    def _forget_epoch(self) -> None:
        """Drop an incomplete epoch after the weights were replaced."""

    def _forget_codes(self) -> None:
        """Drop the gold codes after the labels changed."""

    # Labels -------------------------------------------------------------------------

    def set_labels(
        self,
        labels: Sequence[str],
        *,
        transitions: NDArray[np.bool_] | None = None,
        starts: NDArray[np.bool_] | None = None,
        ends: NDArray[np.bool_] | None = None,
    ) -> None:
        """Set the labels, in order, and the rules which may follow, begin and end.

        A trained model accepts more labels after the old ones.
        """
        with self._lock:
            old = self.labels
            if list(labels[: len(old)]) != old:
                raise ValueError(Errors.LP019.format(old=old, new=list(labels)))
            weights = self._export() if self._structure is not None else None
            before = self._structure
            rules = {"transitions": transitions, "starts": starts, "ends": ends}
            self._structure = self._make_structure(labels, rules)
            if list(labels) != old:
                self._forget_codes()
                self._forget_epoch()
            self.labels, self._rules = list(labels), rules
            if self._chain is not None:
                self._examples = self.examples
                self._random_state = self._chain.random_state
            self._chain = None
            self._frozen = FrozenChain(self._structure)
            if weights is not None and before is not None and old:
                for b, (keys, sizes, cells, values) in enumerate(weights):
                    cells = self._move_cells(before, b, cells)
                    self._frozen.fill(b, keys, sizes, cells, values)
            self._changed()

    def _make_structure(self, labels: Sequence[str], rules: Rules) -> Structure:
        return Structure(
            self.space,
            labels=len(labels),
            latent=self.latent,
            order=self.order,
            blocks=self.plan.blocks,
            beam=self.search.beam,
            boundaries=self.boundaries,
            **rules,
        )

    def _move_cells(
        self, before: Structure, b: int, cells: NDArray[np.uint32]
    ) -> NDArray[np.uint32]:
        """Move cells to their places in rows over more labels."""
        kind, is_latent, _ = self.plan.blocks[b]
        units = len(self.labels) * (self.latent if is_latent else 1)
        parts = before.unpack(b, cells)
        moved = (parts[0] * units + parts[1]) * units + parts[2]
        return moved.astype(np.uint32)

    # Weights --------------------------------------------------------------------------

    def start(self, epoch_size: int, *, keep_features: bool = False) -> None:
        """Restart with zero weights.

        Args:
            epoch_size: The number of sentences in an epoch.
            keep_features: Keep the index, which was just filled by counting features.
        """
        warn_if_slow(len(self.labels), self.latent, self.order, self.search.beam)
        with self._lock:
            if not keep_features:
                self.space.clear()
            self._structure = self._make_structure(self.labels, self._rules)
            self._frozen = FrozenChain(self._structure)
            self._chain = None
            self._examples = 0
            self._random_state = self.seed
            self._epoch_size = self.settings.epoch_size or epoch_size
            self._forget_epoch()
            self._changed()

    @property
    def examples(self) -> int:
        """The number of sentences learned from so far."""
        now = self._chain.examples if self._chain is not None else 0
        return self._examples + now

    @property
    def is_learning(self) -> bool:
        """True if there are rows in training, which predictions do not need."""
        return self._chain is not None

    def _learning_chain(self) -> Chain:
        """Return the rows in training, made from the frozen ones when training begins
        or continues after loading."""
        if self._chain is None:
            if self._structure is None or self._frozen is None:
                raise ValueError(Errors.LP024)
            fresh = self._examples == 0 and not any(self._frozen.n_rows)
            self._chain = self._make_chain(
                self.space,
                self._structure,
                epoch_size=self._epoch_size,
                noise=fresh,
            )
            # The average restarts: after thousands of examples, the next ten would
            # hardly change it.
            self._chain.load(self._frozen, 0)
            self._chain.random_state = self._random_state
        return self._chain

    def _make_chain(
        self,
        space: FeatureSpace,
        structure: Structure,
        *,
        epoch_size: int,
        noise: bool,
    ) -> Chain:
        return Chain(
            space,
            structure,
            average=self.settings.average != "none",
            epoch_size=epoch_size,
            restart_every=self.settings.restart_every,
            noise=INITIAL_NOISE if noise and self.latent > 1 else 0.0,
            seed=self.seed,
            step=self.settings.step,
            l1=self.settings.l1,
            l2=self.settings.l2,
        )

    def _changed(self) -> None:
        self._live_tokens = 0
        self._bytes = None

    def freeze(self) -> FrozenChain:
        """Return the current averaged weights."""
        with self._lock:
            if self._frozen is None:
                if self._chain is None:
                    raise ValueError(Errors.LP024)
                self._frozen = self._chain.freeze()
            return self._frozen

    # Saving -------------------------------------------------------------------------

    def _export(self) -> list[Rows]:
        rows: Chain | FrozenChain | None = self._frozen or self._chain
        if rows is None:
            raise ValueError(Errors.LP024)
        return [rows.export(b) for b in range(len(self.plan.blocks))]

    @property
    def _description(self) -> dict[str, Any]:
        """The properties that a file must share with this learner."""
        return {
            "latent": self.latent,
            "order": self.order,
            "templates": [str(t) for t in self.features.templates],
            "blocks": self.plan.layout,
            **describe_sources(self._own_sources),
        }

    @property
    def _own_sources(self) -> Sources:
        """Return the sources that are saved in the file of this chain."""
        return self.features.sources

    def _pack(self, bits: int) -> bytes:
        chain = self._chain
        random_state = chain.random_state if chain else self._random_state
        return write_chain(
            # Files without boundaries stay as they were before boundaries existed.
            {**self._description, **({"boundaries": True} if self.boundaries else {})},
            self.labels,
            self._rules,
            self._export() if self._structure is not None else [],
            Counters(self.examples, self._epoch_size, random_state),
            bits=bits,
            state=chain if self.keep_state and bits == 32 else None,
            sources=self._own_sources,
        )

    def from_bytes(self: Self, data: bytes) -> Self:
        """Load the bytes of `to_bytes`; templates, order and latent values must agree.
        Bad bytes leave the learner unchanged."""
        with self._lock, self._templates_of(data):
            self._adopt(self._load(data), data)
        return self

    def _load(self, data: bytes) -> LoadedChain:
        loaded = read_chain(
            data,
            self._description,
            self._make_structure,
            self._make_chain_to_restore if self.keep_state else None,
            self._own_sources,
        )
        if loaded.boundaries and not self.boundaries:
            raise ValueError(Errors.LP641)
        return loaded

    def _adopt(self, loaded: LoadedChain, data: bytes) -> None:
        """Take over the state that was read from these bytes."""
        if loaded.chain is not None:
            self.space = loaded.chain.space
        else:
            self.space.clear()
        self.adopt_sources(loaded.sources)
        self.labels, self._rules = loaded.labels, loaded.rules
        self._forget_codes()
        self._structure, self._frozen = loaded.structure, loaded.frozen
        self._chain = loaded.chain
        self._examples = loaded.counters.examples
        self._epoch_size = loaded.counters.epoch_size
        self._random_state = loaded.counters.random_state
        self._forget_epoch()
        self._changed()
        self._bytes = None if loaded.has_state else bytes(data)

    def _make_chain_to_restore(
        self, structure: Structure, epoch_size: int, noise: bool
    ) -> Chain:
        return self._make_chain(
            self._make_space(), structure, epoch_size=epoch_size, noise=noise
        )
