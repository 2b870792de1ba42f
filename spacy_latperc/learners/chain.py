"""A chain learner: labels, features, weights and the rule that changes them.

Everything comes as arrays: columns of token attributes with Doc offsets in, label ids
out. Updates take a lock; predictions read a frozen copy of the averaged weights, which
never changes, so that any number of threads may predict at once.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..errors.check import check_count, check_flag, check_seed
from ..features.sets import FeatureSet
from ..features.sources import Sources
from ..kernels.chains import (
    ANY_LABEL,
    FIRST_SET,
    NO_PATH,
    Chain,
    FeatureBlock,
    FeatureSpace,
    FrozenChain,
    Structure,
)
from ..kernels.checks import warn_if_slow
from ..kernels.likelihood import impossible_sentences
from .base import Batch, Prepared
from .batch.gathering import (
    Gathered,
    PassGatherer,
    PassTrainer,
    check_pass_size,
    logger,
)
from .blocks import Plan, plan_blocks
from .inference import Inference, limits_of
from .mixing import Examples, PassSettings, Shards
from .serialization.chain import Counters, LoadedChain, read_chain, write_chain
from .serialization.pieces import Rows, Rules
from .serialization.sources import describe_sources
from .serialization.state import restore_state, write_state
from .settings import LearnerSettings, SearchSettings

UNKNOWN = ANY_LABEL  # a token without a gold label
INITIAL_NOISE = 1e-3
MAX_ORDER = 2


class NotFiniteError(ValueError):
    """Learning had to stop at a sentence (of the batch, from 0)."""

    def __init__(self, sentence: int, examples: int):
        self.sentence = sentence
        message = Errors.LP045.format(sentence=sentence + 1, examples=examples)
        super().__init__(message)


class ChainLearner(Inference):
    """A linear chain with optional latent states, and how it learns."""

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
        check_count("latent", latent, advice="1 is a chain without latent states.")
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
        self._structure: Structure | None = None
        self._chain: Chain | None = None
        self._frozen: FrozenChain | None = None
        self._examples = 0  # before the rows that learn were made
        self._has_past = False  # weights were loaded: they may pull
        self._begun_alike = False  # latent states had the same weights at first
        self._live_tokens = 0  # predicted by the rows that learn since they changed
        self._label_sets: dict[bytes, int] = {}
        self._gatherer: PassGatherer | None = None
        self._shards: Shards | None = None
        self._waiting = Examples()  # of a pass that is to be learned in shards

    def _arguments(self) -> dict[str, Any]:
        """What makes a learner with the same settings."""
        return {
            "features": self.given,
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
        self._structure = self._chain = self._frozen = self._gatherer = None
        self._examples = 0
        self._forget_shards()

    def _forget_shards(self) -> None:
        """The weights were replaced, or what gold codes mean."""
        self._shards, self._waiting = None, Examples()

    # Labels -------------------------------------------------------------------------

    def set_labels(
        self,
        labels: Sequence[str],
        *,
        transitions: NDArray[np.bool_] | None = None,
        starts: NDArray[np.bool_] | None = None,
        ends: NDArray[np.bool_] | None = None,
    ) -> None:
        """Give the labels, in order, and which may follow, begin and end.

        Labels may be added to a trained model: the old ones must come first.
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
                self._label_sets.clear()
                self._gatherer = None
                self._forget_shards()
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
        """The same cells in rows over more labels."""
        kind, is_latent, _ = self.plan.blocks[b]
        units = len(self.labels) * (self.latent if is_latent else 1)
        parts = before.unpack(b, cells)
        moved = (parts[0] * units + parts[1]) * units + parts[2]
        return moved.astype(np.uint32)

    # Learning -----------------------------------------------------------------------

    def start(self, pass_size: int, *, keep_features: bool = False) -> None:
        """Begin anew with zero weights; a pass is so many sentences.

        Args:
            pass_size: Sentences in a pass.
            keep_features: The index was just filled by counting features.
        """
        warn_if_slow(len(self.labels), self.latent, self.order, self.search.beam)
        with self._lock:
            if not keep_features:
                self.space.clear()
            self._structure = self._make_structure(self.labels, self._rules)
            self._frozen = FrozenChain(self._structure)
            self._chain = None
            self._examples = 0
            self._has_past = self._begun_alike = False
            self._random_state = self.seed
            self._pass_size = self.settings.pass_size or pass_size
            self._gatherer = None
            self._forget_shards()
            self._changed()

    def begin_with(self, weights: Sequence[Rows], *, noise: bool) -> None:
        """After `start`: learn on from these weights, block by block, instead of zero.

        Args:
            weights: Rows by block.
            noise: Latent states are alike in them, and must be told apart.
        """
        with self._lock:
            if self._structure is None:
                raise ValueError(Errors.LP024)
            frozen = FrozenChain(self._structure)
            for b, rows in enumerate(weights):
                frozen.fill(b, *rows)
            self._frozen = frozen
            self._chain = None
            self._has_past, self._begun_alike = True, noise
            self._forget_shards()
            self._changed()

    @property
    def examples(self) -> int:
        """Sentences learned from so far."""
        now = self._chain.examples if self._chain is not None else 0
        return self._examples + now

    def update(
        self,
        blocks: list[FeatureBlock],
        gold: NDArray[np.int32],
        *,
        given: NDArray[np.float32] | None = None,
        slope: NDArray[np.float32] | None = None,
    ) -> tuple[float, list[int]]:
        """Learn from a batch.

        Args:
            blocks: Features of the sentences.
            gold: Gold codes of their tokens.
            given: Scores from outside, [tokens, labels] or [tokens, states].
            slope: Of the same shape: the slope of the loss along them is written there,
                so that whatever made them can learn too.

        Returns:
            The loss, and the numbers of sentences (of the non-empty ones, in order)
            whose gold labels no path can take.
        """
        with self._lock:
            if self.settings.whole_pass is not None:
                if given is not None or slope is not None:
                    raise ValueError(Errors.LP643.format(name=self.settings.name))
                return self._gather(self.settings.whole_pass, blocks, gold)
            rule = self.settings.make_rule()
            if slope is not None and not rule.has_slope:
                raise ValueError(Errors.LP642.format(name=self.settings.name))
            if self.settings.shards > 1:
                if given is not None or slope is not None:
                    raise ValueError(Errors.LP643.format(name=self.settings.name))
                return self._learn_in_shards(blocks, gold)
            chain = self._learning_chain()
            self._changed()
            self._frozen = None
            examples = self.examples
            n = sum(block.n_sentences for block in blocks)
            try:
                return chain.update(
                    blocks,
                    gold,
                    rule,
                    given=given,
                    slope=slope,
                    sets=self._set_table(),
                    rates=self.settings.rates(examples, n, self._pass_size),
                    shuffle=self.settings.shuffle,
                )
            except FloatingPointError as error:
                sentence = error.args[0]
                raise NotFiniteError(sentence, self.examples) from error

    def _learn_in_shards(
        self, blocks: list[FeatureBlock], gold: NDArray[np.int32]
    ) -> tuple[float, list[int]]:
        """Learn when the pass is complete; see mixing.py."""
        size = check_pass_size(self.settings.name, self._pass_size)
        sets = self._set_table()
        if self._structure is None:
            raise ValueError(Errors.LP024)
        impossible = []
        if self.examples < size:  # later passes would say the same
            impossible = impossible_sentences(
                self.space, self._structure, blocks, gold, sets
            )
        self._waiting.add(blocks, gold)
        if self._waiting.sentences < size:
            return 0.0, impossible
        examples, self._waiting = self._waiting, Examples()
        return self.learn_pass(examples.cut(self.settings.shards)), impossible

    def learn_pass(
        self, parts: Sequence[Examples], *, by_changes: bool = False
    ) -> float:
        """Learn a whole pass that was dealt out, in shards; see mixing.py.

        Args:
            parts: The examples of each shard.
            by_changes: Mix each weight among those who changed it.

        Returns:
            The loss.
        """
        with self._lock:
            chain = self._learning_chain()
            shards = self._shards
            if shards is None or shards.weights is not chain or shards.n != len(parts):
                shards = self._make_shards(chain, len(parts), by_changes)
                self._shards = shards
            n = sum(part.sentences for part in parts)
            settings = self.pass_settings(self.examples, n)
            try:
                loss = shards.learn_pass(parts, settings)
            except FloatingPointError as error:
                message = Errors.LP061.format(sentence=error.args[0] + 1)
                raise ValueError(message) from error
            self.shards_learned()
            return loss

    def fit_elsewhere(self, train: PassTrainer, sentences: int) -> float:
        """Learn what a whole pass teaches whose examples are elsewhere.

        Args:
            train: Learns; it is told all of the learner, and no examples.
            sentences: Of the pass.

        Returns:
            The loss.
        """
        with self._lock:
            if self._structure is None or self._frozen is None:
                raise ValueError(Errors.LP024)
            gatherer = PassGatherer(sentences)
            gathered = self._gathered(self._structure, gatherer, self._frozen)
            fitted = train(gathered)
            self._frozen = fitted.weights
            self._examples += sentences
            self._changed()
            if fitted.error is not None:
                raise ValueError(str(fitted.error)) from fitted.error
            return fitted.loss

    def seen_elsewhere(self, sentences: int) -> None:
        """A later pass, which teaches nothing new."""
        with self._lock:
            self._examples += sentences
            self._changed()

    def gathered(self, examples: Examples) -> Gathered:
        """A part of a pass, as whoever learns from whole passes takes it."""
        with self._lock:
            if self._structure is None or self._frozen is None:
                raise ValueError(Errors.LP024)
            gatherer = PassGatherer(examples.sentences)
            gatherer.blocks, gatherer.gold = examples.blocks, [examples.codes]
            return self._gathered(self._structure, gatherer, self._frozen)

    # The steps of a pass whose shards are elsewhere:

    def shared_weights(self) -> Chain:
        """The weights that all shards begin a pass with; whoever mixes what these
        learned changes them, and calls `shards_learned`."""
        with self._lock:
            return self._learning_chain()

    def make_shard(self, *, noise: bool, pulled: bool) -> Chain:
        """A chain for a shard of these weights, or for a copy of them, without any.

        Args:
            noise: Whether latent states begin with noise.
            pulled: Whether the weights are pulled to what they were.
        """
        assert self._structure is not None
        return self._make_chain(
            self.space,
            self._structure,
            pass_size=self._pass_size,
            noise=noise,
            pulled=pulled,
            restarts=False,
        )

    def pass_settings(self, examples: int, n: int) -> PassSettings:
        """How shards learn a pass of n sentences, when so many were seen before."""
        rates = self.settings.rates(examples, n, self._pass_size)
        shuffle, sets = self.settings.shuffle, self._set_table()
        return PassSettings(self.settings.make_rule, rates, shuffle, sets)

    def shards_learned(self) -> None:
        """The shared weights have changed."""
        self._changed()
        self._frozen = None

    def state_of_shards(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """All that is known when a pass is over: what goes into the header of a file,
        and arrays."""
        with self._lock:
            chain = self._learning_chain()
            header, arrays = write_state(chain)
            return {**header, "random_state": chain.random_state}, arrays

    def go_on_from(
        self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
    ) -> None:
        """Know what `state_of_shards` gave; the learner must have the same settings."""
        with self._lock:
            chain = self._learning_chain()
            if not restore_state(chain, header, arrays):
                raise ValueError("the learner steps or averages in another way")
            chain.random_state = header["random_state"]
            self._forget_shards()
            self.shards_learned()

    def _make_shards(self, chain: Chain, n: int, by_changes: bool) -> Shards:
        pulled = bool(chain.planes[2])
        return Shards(
            chain,
            partial(self.make_shard, noise=chain.noise > 0, pulled=pulled),
            n,
            restart_every=self.settings.restart_every,
            pass_size=self._pass_size,
            by_changes=by_changes,
        )

    def _gather(
        self, train: PassTrainer, blocks: list[FeatureBlock], gold: NDArray[np.int32]
    ) -> tuple[float, list[int]]:
        """Learn when the pass is complete; see batch/gathering.py."""
        if self._structure is None or self._frozen is None:
            raise ValueError(Errors.LP024)
        if self._gatherer is None:
            size = check_pass_size(self.settings.name, self._pass_size)
            self._gatherer = PassGatherer(size)
        gatherer, sets = self._gatherer, self._set_table()
        impossible = gatherer.add(self.space, self._structure, blocks, gold, sets)
        self._examples += sum(block.n_sentences for block in blocks)
        self._changed()
        if gatherer.complete:
            try:
                fitted = train(self._gathered(self._structure, gatherer, self._frozen))
            except BaseException:  # Ctrl-C too: the same call may come again
                gatherer.take_back(blocks)
                self._examples -= sum(block.n_sentences for block in blocks)
                raise
            gatherer.finish(fitted.loss)
            self._frozen = fitted.weights
            if fitted.error is not None:
                raise ValueError(str(fitted.error)) from fitted.error
            return fitted.loss, impossible
        return gatherer.loss_of(blocks), impossible

    def _gathered(
        self, structure: Structure, gatherer: PassGatherer, start: FrozenChain
    ) -> Gathered:
        return Gathered(
            features=self.features,
            plan=self.plan,
            space=self.space,
            structure=structure,
            latent=self.latent,
            order=self.order,
            seed=self.seed,
            blocks=gatherer.blocks,
            gold=np.concatenate([np.zeros(0, np.int32), *gatherer.gold]),
            sets=self._set_table(),
            rules=self._rules,
            start=start,
        )

    def label_set(self, mask: NDArray[np.bool_]) -> int:
        """The gold code of a token whose label is one of those in the mask [labels]:
        the label itself, UNKNOWN, or a number below for a set. Codes hold until the
        labels change."""
        mask = np.asarray(mask, dtype=bool)
        if mask.shape != (len(self.labels),) or not mask.any():
            raise ValueError(
                Errors.LP046.format(found=mask.size, wanted=len(self.labels))
            )
        if mask.all():
            return UNKNOWN
        if mask.sum() == 1:
            return int(mask.argmax())
        number = self._label_sets.setdefault(mask.tobytes(), len(self._label_sets))
        return FIRST_SET - number

    def _set_table(self) -> NDArray[np.uint8] | None:
        if not self._label_sets:
            return None
        rows = b"".join(self._label_sets)
        return np.frombuffer(rows, dtype=np.uint8).reshape(-1, len(self.labels))

    def _learning_chain(self) -> Chain:
        """The rows that learn; made from the frozen ones when learning begins or goes
        on after loading."""
        if self._chain is None:
            if self._structure is None or self._frozen is None:
                raise ValueError(Errors.LP024)
            fresh = self._examples == 0 and not any(self._frozen.n_rows)
            self._chain = self._make_chain(
                self.space,
                self._structure,
                pass_size=self._pass_size,
                noise=fresh or self._begun_alike,
                pulled=self._has_past,
            )
            # The average begins anew: after thousands of examples, the next ten would
            # not be felt in it.
            self._chain.load(self._frozen, 0)
            self._chain.random_state = self._random_state
        return self._chain

    def _make_chain(
        self,
        space: FeatureSpace,
        structure: Structure,
        *,
        pass_size: int,
        noise: bool,
        pulled: bool,
        restarts: bool = True,
    ) -> Chain:
        return Chain(
            space,
            structure,
            average=self.settings.average != "none",
            pass_size=pass_size,
            restart_every=self.settings.restart_every if restarts else 0,
            noise=INITIAL_NOISE if noise and self.latent > 1 else 0.0,
            seed=self.seed,
            step=self.settings.step,
            l1=self.settings.l1,
            l2=self.settings.l2,
            pull=self.settings.pull if pulled else 0.0,
        )

    def _changed(self) -> None:
        self._live_tokens = 0
        self._bytes = None

    # Answering ----------------------------------------------------------------------

    def predict(self, batch: Batch) -> NDArray[np.int32]:
        """Label ids of a batch under the averaged weights. A sentence for which the
        allowed labels leave no path comes back as NO_PATH."""
        return self.best(self.read(batch))

    def best(self, batch: Prepared) -> NDArray[np.int32]:
        """Label ids of a batch that was read; see `predict`."""
        if self._structure is None or not self.labels:
            raise ValueError(Errors.LP024)
        frozen = self.freeze() if self.search.by_probability else self._frozen
        if frozen is None:
            with self._lock:
                frozen = self._frozen or self._freeze_when_it_pays(len(batch.attrs))
                if frozen is None and self._chain is not None:
                    block = self.space.extract(
                        batch.attrs, batch.bounds, grow=False, values=batch.values
                    )
                    return self._checked(
                        self._chain.predict(block, *limits_of(batch)), batch
                    )
        assert frozen is not None
        return self._checked(self._decode(frozen, batch), batch)

    @staticmethod
    def _checked(labels: NDArray[np.int32], batch: Prepared) -> NDArray[np.int32]:
        """Without a mask a sound model always has a path."""
        if batch.allowed is None and len(labels):
            lowest = labels.argmin()
            if labels[lowest] == NO_PATH:
                raise ValueError(Errors.LP509.format(token=int(lowest) + 1))
        return labels

    def _freeze_when_it_pays(self, n_tokens: int) -> FrozenChain | None:
        """The frozen chain; None while so few tokens were predicted since the last
        update that writing the average out costs more than doing without. An annotating
        component predicts little between two updates."""
        self._live_tokens += n_tokens
        assert self._chain is not None
        # Weights that shrink must be written out: looking at them changes nothing then.
        lazy = self.settings.l1 or self.settings.l2 or self.settings.pull
        if not lazy and self._live_tokens * 4 < sum(self._chain.n_rows):
            return None
        return self.freeze()

    def freeze(self) -> FrozenChain:
        """The averaged weights of now."""
        with self._lock:
            if self._frozen is None:
                if self._chain is None:
                    raise ValueError(Errors.LP024)
                self._frozen = self._chain.freeze()
            return self._frozen

    # Saving -------------------------------------------------------------------------

    def _export(self) -> list[Rows]:
        frozen = self.freeze()
        return [frozen.export(b) for b in range(len(self.plan.blocks))]

    @property
    def _description(self) -> dict[str, Any]:
        """What a file must agree with to be loaded."""
        return {
            "latent": self.latent,
            "order": self.order,
            "templates": [str(t) for t in self.features.templates],
            "blocks": self.plan.layout,
            **describe_sources(self._own_sources),
        }

    @property
    def _own_sources(self) -> Sources:
        """The sources that stand in the file of this chain."""
        return self.features.sources

    def _pack(self, bits: int) -> bytes:
        if self._gatherer is not None:
            self._gatherer.warn_if_incomplete()
        if self._waiting.blocks:
            logger.info(
                "Saving within a pass: %d sentences wait until it is complete.",
                self._waiting.sentences,
            )
        chain = self._chain
        random_state = chain.random_state if chain else self._random_state
        return write_chain(
            # Without them the file is what it was before there were any.
            {**self._description, **({"boundaries": True} if self.boundaries else {})},
            self.labels,
            self._rules,
            self._export() if self._structure is not None else [],
            Counters(self.examples, self._pass_size, random_state),
            bits=bits,
            state=chain if self.keep_state and bits == 32 else None,
            sources=self._own_sources,
        )

    def from_bytes(self, data: bytes) -> "ChainLearner":
        """Load what `to_bytes` gave; templates, order and latent values must agree.
        Bad bytes leave the learner as it was."""
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
        """Be what was read from these bytes."""
        if loaded.chain is not None:
            self.space = loaded.chain.space
        else:
            self.space.clear()
        self.adopt_sources(loaded.sources)
        self.labels, self._rules = loaded.labels, loaded.rules
        self._label_sets.clear()
        self._structure, self._frozen = loaded.structure, loaded.frozen
        self._chain = loaded.chain
        self._examples = loaded.counters.examples
        self._pass_size = loaded.counters.pass_size
        self._has_past = self.examples > 0 or any(loaded.frozen.n_rows)
        self._begun_alike = False
        self._random_state = loaded.counters.random_state
        self._gatherer = None
        self._forget_shards()
        self._changed()
        self._bytes = None if loaded.has_state else bytes(data)

    def _make_chain_to_restore(
        self, structure: Structure, pass_size: int, noise: bool
    ) -> Chain:
        return self._make_chain(
            self._make_space(), structure, pass_size=pass_size, noise=noise, pulled=True
        )
