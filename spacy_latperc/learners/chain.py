"""A chain learner: how the weights of a chain change, and the labels that they give.

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
from ..kernels.chains import (
    ANY_LABEL,
    FIRST_SET,
    NO_PATH,
    Chain,
    FeatureBlock,
    FrozenChain,
    Structure,
)
from ..kernels.likelihood import impossible_sentences
from .base import Batch, Prepared
from .batch.gathering import (
    Gathered,
    PassGatherer,
    PassTrainer,
    check_pass_size,
    logger,
)
from .chain_weights import ChainWeights
from .mixing import ONCE_AMONG_ALL, Examples, Mixing, PassSettings, Shards
from .serialization.state import restore_state, write_state

UNKNOWN = ANY_LABEL  # a token without a gold label


class NotFiniteError(ValueError):
    """Learning had to stop at a sentence (of the batch, from 0)."""

    def __init__(self, sentence: int, examples: int):
        self.sentence = sentence
        message = Errors.LP045.format(sentence=sentence + 1, examples=examples)
        super().__init__(message)


class ChainLearner(ChainWeights):
    """A linear chain with optional latent states, and how it learns."""

    # What is known of a pass that is learned when it is complete, at once or in shards.
    _gatherer: PassGatherer | None
    _shards: Shards | None
    _waiting: Examples
    _label_sets: dict[bytes, int]

    def _forget_passes(self) -> None:
        self._gatherer = self._shards = None
        self._waiting = Examples()

    def _forget_codes(self) -> None:
        self._label_sets = {}

    # Learning -----------------------------------------------------------------------

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
        self,
        parts: Sequence[Examples],
        *,
        mixing: Mixing = ONCE_AMONG_ALL,
    ) -> float:
        """Learn a whole pass that was dealt out, in shards; see mixing.py.

        Args:
            parts: The examples of each shard.
            mixing: How and how often these are mixed.

        Returns:
            The loss.
        """
        with self._lock:
            chain = self._learning_chain()
            shards = self._shards
            if shards is None or shards.weights is not chain or shards.n != len(parts):
                shards = self._make_shards(chain, len(parts))
                self._shards = shards
            n, loss = sum(part.sentences for part in parts), 0.0
            state = chain.random_state if self.settings.shuffle else None
            rounds = mixing.deal(dict(enumerate(parts)), len(parts), state)
            for number, part in enumerate(rounds):
                settings = self.pass_settings(self.examples, n, len(rounds))
                try:
                    loss += shards.learn_round(
                        list(part.values()), settings, mixing.kind, begins=not number
                    )
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

    def pass_settings(self, examples: int, n: int, rounds: int = 1) -> PassSettings:
        """How shards learn a round of a pass of n sentences, when so many were seen
        before."""
        rates = self.settings.rates(examples, -(-n // rounds), self._pass_size)
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
            self._shards, self._waiting = None, Examples()
            self.shards_learned()

    def _make_shards(self, chain: Chain, n: int) -> Shards:
        pulled = bool(chain.planes[2])
        return Shards(
            chain,
            partial(self.make_shard, noise=chain.noise > 0, pulled=pulled),
            n,
            restart_every=self.settings.restart_every,
            pass_size=self._pass_size,
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
                frozen = self._frozen or self._freeze_when_it_pays(batch.n_tokens)
                if frozen is None and self._chain is not None:
                    block = self.space.extract(
                        batch.attrs, batch.bounds, grow=False, values=batch.values
                    )
                    found = self._chain.predict(block, batch.allowed, batch.given)
                    return self._checked(found, batch)
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
        component predicts little between two updates, and so does an evaluation after
        each pass: it does without the memory of frozen rows, too."""
        self._live_tokens += n_tokens
        assert self._chain is not None
        # Weights that shrink must be written out: looking at them changes nothing then.
        lazy = self.settings.l1 or self.settings.l2 or self.settings.pull
        if not lazy and self._live_tokens < sum(self._chain.n_rows):
            return None
        return self.freeze()

    def _pack(self, bits: int) -> bytes:
        if self._gatherer is not None:
            self._gatherer.warn_if_incomplete()
        if self._waiting.blocks:
            logger.info(
                "Saving within a pass: %d sentences wait until it is complete.",
                self._waiting.sentences,
            )
        return super()._pack(bits)
