"""The chain learner: updates of the weights of a chain, and predictions of labels.

It works on arrays: columns of token attributes with Doc offsets in, label ids out.
Updates take a lock; predictions read a frozen copy of the averaged weights, so any
number of threads may predict at once.
"""

from collections.abc import Mapping
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
from .base import Batch, Prepared
from .batch.gathering import (
    EpochGatherer,
    EpochTrainer,
    Gathered,
    check_epoch_size,
    logger,
)
from .chain_weights import ChainWeights
from .serialization.state import restore_state, write_state

UNKNOWN = ANY_LABEL  # a token without a gold label


class NotFiniteError(ValueError):
    """An error for a sentence (of the batch, from 0) that made weights infinite."""

    def __init__(self, sentence: int, examples: int):
        self.sentence = sentence
        message = Errors.LP045.format(sentence=sentence + 1, examples=examples)
        super().__init__(message)


class ChainLearner(ChainWeights):
    """A linear chain with optional latent states that can be trained."""

    # The collector of an epoch, for batch learners.
    _gatherer: EpochGatherer | None
    _label_sets: dict[bytes, int]

    def _dense_columns(self) -> set[int]:
        trains_at_once = self.settings.epoch_trainer is not None
        return set() if trains_at_once else self.plan.dense_columns

    def _forget_epoch(self) -> None:
        self._gatherer = None

    def _forget_codes(self) -> None:
        self._label_sets = {}

    # Learning -----------------------------------------------------------------------

    def update(
        self,
        blocks: list[FeatureBlock],
        gold: NDArray[np.int32],
        *,
        external_scores: NDArray[np.float32] | None = None,
        slope: NDArray[np.float32] | None = None,
    ) -> tuple[float, list[int]]:
        """Learn from a batch.

        Args:
            blocks: Features of the sentences.
            gold: Gold codes of their tokens.
            external_scores: External scores, [tokens, labels] or [tokens, states].
            slope: An array of the same shape for the gradient of the loss with respect
                to these scores, so that their model can learn too.

        Returns:
            The loss, and the numbers of sentences (of the non-empty ones, in order)
            whose gold labels no path can have.
        """
        with self._lock:
            if self.settings.epoch_trainer is not None:
                if external_scores is not None or slope is not None:
                    raise ValueError(Errors.LP643.format(name=self.settings.name))
                return self._gather(self.settings.epoch_trainer, blocks, gold)
            rule = self.settings.make_rule()
            if slope is not None and not rule.has_slope:
                raise ValueError(Errors.LP642.format(name=self.settings.name))
            chain = self._learning_chain()
            self._changed()
            self._frozen = None
            examples = self.examples
            n = sum(block.n_sentences for block in blocks)
            try:
                result = chain.update(
                    blocks,
                    gold,
                    rule,
                    external_scores=external_scores,
                    slope=slope,
                    sets=self._set_table(),
                    rates=self.settings.rates(examples, n, self._epoch_size),
                )
            except FloatingPointError as error:
                sentence = error.args[0]
                raise NotFiniteError(sentence, self.examples) from error
            if self.latent > 1 and self._epoch_size:
                if examples // self._epoch_size < self.examples // self._epoch_size:
                    self._log_states(chain, blocks)
            return result

    def best_states(self, batch: Batch) -> NDArray[np.int32]:
        """Return the latent states of the best paths, by the current weights. The
        features of the batch are learned.
        """
        with self._lock:
            chain = self._learning_chain()
            blocks = self.extract(batch)
            return np.concatenate([chain.predict(x, states=True) for x in blocks])

    def _log_states(self, chain: Chain, blocks: list[FeatureBlock]) -> None:
        """Log how many latent states of each label the sentences of a batch use: the
        exponential of the entropy of their shares."""
        if self.settings.l1 or self.settings.l2:  # reading would apply the penalties
            return
        paths = [chain.predict(block, states=True) for block in blocks]
        every = np.arange(len(self.labels) * self.latent)
        found = np.concatenate([*paths, every])
        counts = (np.bincount(found[found >= 0]) - 1).reshape(-1, self.latent)
        used = [
            (label, np.exp(-(share * np.log(share)).sum()))
            for label, row in zip(self.labels, counts, strict=True)
            if row.any()
            for share in [row[row > 0] / row.sum()]
        ]
        shown = ", ".join(f"{label} {number:.1f}" for label, number in used)
        logger.info("Latent states in use, of %d: %s", self.latent, shown)

    def training_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return the complete training state: the header and the arrays of a file."""
        with self._lock:
            chain = self._learning_chain()
            chain.catch_up()
            header, arrays = write_state(chain)
            return {**header, "random_state": chain.random_state}, arrays

    def restore_training_state(
        self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
    ) -> None:
        """Restore the `training_state` of a learner with the same settings."""
        with self._lock:
            if self._structure is None:
                raise ValueError(Errors.LP024)
            chain = self._make_chain(
                self.space,
                self._structure,
                epoch_size=self._epoch_size,
                noise=bool(header["noise"]),
            )
            if not restore_state(chain, header, arrays):
                raise ValueError("the learner steps or averages in another way")
            chain.random_state = header["random_state"]
            self._chain, self._frozen = chain, None
            self._changed()

    def _gather(
        self, train: EpochTrainer, blocks: list[FeatureBlock], gold: NDArray[np.int32]
    ) -> tuple[float, list[int]]:
        """Train when the epoch is complete; see batch/gathering.py."""
        if self._structure is None or self._frozen is None:
            raise ValueError(Errors.LP024)
        if self._gatherer is None:
            size = check_epoch_size(self.settings.name, self._epoch_size)
            self._gatherer = EpochGatherer(size)
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
        self, structure: Structure, gatherer: EpochGatherer, start: FrozenChain
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
        """Return the gold code of a token that has a label of the mask [labels]: the
        label itself, UNKNOWN, or a number below for a set. Codes are valid until the
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

    # Predicting ---------------------------------------------------------------------

    def predict(self, batch: Batch) -> NDArray[np.int32]:
        """Predict the label ids of a batch by the averaged weights. A sentence whose
        allowed labels leave no path gets NO_PATH."""
        return self.best(self.read(batch))

    def best(self, batch: Prepared) -> NDArray[np.int32]:
        """Predict the label ids of a batch that was read; see `predict`."""
        if self._structure is None or not self.labels:
            raise ValueError(Errors.LP024)
        soon = self.search.by_probability or batch.recall_constant
        frozen = self.freeze() if soon else self._frozen
        if frozen is None:
            with self._lock:
                frozen = self._frozen or self._freeze_when_it_pays(batch.n_tokens)
                if frozen is None and self._chain is not None:
                    block = self.space.extract(
                        batch.attributes,
                        batch.bounds,
                        grow=False,
                        values=batch.values,
                    )
                    found = self._chain.predict(
                        block, batch.allowed, batch.external_scores
                    )
                    return self._checked(found, batch)
        assert frozen is not None
        return self._checked(self._decode(frozen, batch), batch)

    @staticmethod
    def _checked(labels: NDArray[np.int32], batch: Prepared) -> NDArray[np.int32]:
        """Refuse a missing path without a mask, since sound models have one."""
        if batch.allowed is None and len(labels):
            lowest = labels.argmin()
            if labels[lowest] == NO_PATH:
                raise ValueError(Errors.LP509.format(token=int(lowest) + 1))
        return labels

    def _freeze_when_it_pays(self, n_tokens: int) -> FrozenChain | None:
        """Return the frozen chain; None while so few tokens were predicted since the
        last update that freezing costs more than it saves. This also spares the memory
        of frozen rows for annotating components, and evaluations after each epoch,
        which predict little between two updates."""
        self._live_tokens += n_tokens
        assert self._chain is not None
        # Lazy penalties apply when a weight is read; reading frozen rows changes none.
        lazy = self.settings.l1 or self.settings.l2
        if not lazy and self._live_tokens < sum(self._chain.n_rows):
            return None
        return self.freeze()

    def _pack(self, bits: int) -> bytes:
        if self._gatherer is not None:
            self._gatherer.warn_if_incomplete()
        return super()._pack(bits)
