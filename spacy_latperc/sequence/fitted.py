"""A chain with the features of an estimator."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import Errors
from ..features.sets import make_set
from ..learners.base import Batch
from ..learners.batch.crf_batch import crf_batch
from ..learners.batch.gathering import logger
from ..learners.chain import ChainLearner
from ..learners.crf import crf
from ..learners.learner_settings import LearnerSettings, viterbi
from ..learners.mira import mira
from ..learners.passive_aggressive import passive_aggressive
from ..learners.perceptron import perceptron
from .inputs import (
    TEMPLATE,
    Names,
    batch_of_features,
    batch_of_numbers,
    batch_of_tokens,
    number_width,
)

LEARNERS: dict[str, Callable[..., LearnerSettings]] = {
    "perceptron": perceptron,
    "passive_aggressive": passive_aggressive,
    "mira": mira,
    "crf": crf,
    "crf_batch": crf_batch,
}
# The most accurate on development data of CoNLL-2000 and CoNLL-2002.
DEFAULTS = {
    "perceptron": {"step": "adagrad", "learn_rate": 0.1, "margin": 1.0},
    "crf": {"optimizer": "adagrad", "learn_rate": 0.2, "l2": 0.1},
}

Labels = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Settings:
    """The checked parameters of an estimator; `chain` has those of the chain."""

    learner: LearnerSettings
    epochs: int
    min_count: int
    chain: dict[str, Any]
    templates: list[str] | None = None
    columns: tuple[str, ...] = ()


@dataclass
class Fitted:
    """A chain with the names of its features by hash; or, if these are numbers, with
    their count."""

    settings: Settings
    chain: ChainLearner
    names: Names = field(default_factory=dict)
    width: int | None = None

    @classmethod
    def start(cls, settings: Settings) -> "Fitted":
        """Make an untrained chain."""
        names = settings.templates or [TEMPLATE]
        features = make_set(names, min_count=settings.min_count)
        chain = ChainLearner(features, settings.learner, viterbi(), **settings.chain)
        return cls(settings, chain)

    def read(self, X: Sequence, names: Names | None = None) -> Batch:
        """Read sentences; `names` takes the names of their features."""
        if self.settings.templates is not None:
            return batch_of_tokens(X, self.settings.columns, self.chain.plan)
        if self.width is not None:
            return batch_of_numbers(X, self.width)
        return batch_of_features(X, names)

    def learn(self, X: Sequence, y: Labels, epochs: int, more: Iterable[str]) -> None:
        """Learn from examples, and know `more` labels."""
        chain, fresh = self.chain, not self.chain.labels
        check_lengths("X", X, "y", y)
        if fresh and self.settings.templates is None:
            self.width = number_width(X, self.names)
        batch = self.read(X, self.names)
        if not len(batch.values):
            raise ValueError(Errors.LP886)
        found = set(more)
        for s, (sentence, labels) in enumerate(zip(X, y, strict=True)):
            check_lengths(f"X[{s}]", sentence, f"y[{s}]", labels)
            if isinstance(labels, str) or not all(isinstance(x, str) for x in labels):
                shown = repr(labels)[:60]
                raise ValueError(Errors.LP885.format(sentence=s, found=shown))
            found.update(labels)
        chain.set_labels([*chain.labels, *sorted(found.difference(chain.labels))])
        if fresh:
            if counted := self.settings.min_count > 1:
                chain.extract(batch, count=True)
            chain.start(len(batch.bounds) - 1, keep_features=counted)
        number = {label: i for i, label in enumerate(chain.labels)}
        gold = np.array([number[x] for labels in y for x in labels], dtype=np.int32)
        blocks = chain.extract(batch)
        for epoch in range(1 if self.settings.learner.needs_all else epochs):
            loss, _ = chain.update(blocks, gold)
            logger.info("epoch %d: loss %.4f", epoch + 1, loss)


def check_lengths(what: str, first: Sequence, other: str, second: Sequence) -> None:
    """Refuse lists of different lengths."""
    if len(first) != len(second):
        lengths = {"found": len(first), "wanted": len(second)}
        raise ValueError(Errors.LP884.format(what=what, other=other, **lengths))
