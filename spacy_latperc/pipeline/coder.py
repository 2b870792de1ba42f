"""Labels of a layer as ids of a chain: what the coders of tags and of spans share."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example

from ..learners.base import Batch, Prepared
from ..schemes.decode import Chunks
from .constraints import Constraints, Named
from .parts import Context, Ids, Mask, Prediction
from .saved import Check


def find_ids(values: NDArray[np.uint64], known: NDArray[np.uint64]) -> tuple[Ids, Mask]:
    """Return the positions of values among known ones, and which of them are known."""
    if not len(known):
        return np.zeros(len(values), dtype=np.int32), np.zeros(len(values), dtype=bool)
    order = np.argsort(known)
    place = np.searchsorted(known, values, sorter=order)
    found = order[np.minimum(place, len(known) - 1)].astype(np.int32)
    return found, known[found] == values


class Coder:
    """Labels of a layer as ids of a chain, and back.

    Attributes:
        score_kinds: What scores there are.
    """

    score_kinds: tuple[str, ...] = ("none", "marginal", "margin")

    def __init__(self, context: Context, layer: Named, scheme_name: str = "none"):
        self.context = context
        self.scheme_name = scheme_name
        self.constraints = Constraints(context, layer, self)

    # What chains have in common -------------------------------------------------------

    def refuse(self, what: str, error: type[Exception] = ValueError) -> None:
        """Say that this is not to be had here, if so."""

    def check_label(self, label: str) -> None:
        """Refuse what cannot be a label."""

    def allowed(self, docs: Sequence[Doc], batch: Prepared) -> NDArray[np.uint8] | None:
        """Labels that are possible beside what is already on the Docs; None: all,
        everywhere."""
        return self.constraints.allowed(docs, batch)

    def given(self, docs: Sequence[Doc]) -> NDArray[np.float32] | None:
        """Scores from outside at which the chain starts; None: there are none."""
        return None

    def decide(self, docs: Sequence[Doc], batch: Prepared) -> Prediction:
        """The best labels."""
        return self.constraints.best(docs, batch, self.context.learner.best(batch))

    def log_scores(
        self, batch: Prepared, gold: Ids, temperature: float
    ) -> NDArray[np.float64]:
        """Log probabilities of the gold of sentences."""
        return self.context.learner.log_scores(batch, gold, temperature)

    @property
    def beside(self) -> Sequence[int]:
        """Attributes of tokens that the layer wants to be read for it."""
        return ()

    # To be said by each ---------------------------------------------------------------

    def cfg_checks(self) -> dict[str, Check]:
        """What may be in cfg beside the labels, and what it must be."""
        raise NotImplementedError

    def set_labels(self) -> None:
        """Give the labels (and which may follow which) to the learner."""
        raise NotImplementedError

    def check_weights(self, cfg: dict[str, Any], learner: Any, where: str) -> None:
        """Refuse weights that have other labels than cfg."""
        raise NotImplementedError

    def collect_labels(self, doc: Doc) -> Iterable[str]:
        """The labels of a reference Doc."""
        raise NotImplementedError

    def gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> Ids:
        """Gold label ids on the predicted tokens."""
        raise NotImplementedError

    def answers(self, labels: Ids, sentences: NDArray[np.int64]) -> Chunks:
        """Starts, ends and types of what is answered, in the concatenated batch."""
        raise NotImplementedError

    def annotations(
        self, labels: Ids, sentences: NDArray[np.int64], edges: NDArray[np.int64]
    ) -> list[list]:
        """The annotation of each stretch of tokens between two edges."""
        raise NotImplementedError

    def probabilities(
        self, batch: Prepared, answers: Chunks, temperature: float
    ) -> NDArray[np.float64]:
        """The model's probability of each answer."""
        raise NotImplementedError

    def margins(
        self, by_label: NDArray[np.float32], prediction: Prediction, answers: Chunks
    ) -> NDArray[np.float32]:
        """The margin of each answer.

        Args:
            by_label: How much worse, for each token, the best path is that has this
                label there: [tokens, labels].
            prediction: The best labels.
            answers: What they say.
        """
        raise NotImplementedError

    def withdraw(self, labels: Ids, tokens: Mask) -> None:
        """Make the labels of these tokens say nothing."""
        raise NotImplementedError

    def compare(
        self, examples: Sequence[Example], same: Sequence[bool], answers: Chunks
    ) -> tuple[Mask, Mask, int]:
        """Which answers are right, which are known to be right or wrong, and how many
        right ones there are."""
        raise NotImplementedError

    def write(
        self, docs: Sequence[Doc], prediction: Prediction, certain: float
    ) -> None:
        """Write what was predicted."""
        raise NotImplementedError

    def mask(self, labels: Sequence[str], scheme: str) -> Mask | None:
        """Labels of the chain [labels] that say the same; None if none can. An unknown
        label is a KeyError."""
        raise NotImplementedError

    def possible(
        self, docs: Sequence[Doc], batch: Prepared
    ) -> NDArray[np.uint8] | None:
        """Labels that are possible beside the annotation that stays; None: all,
        everywhere."""
        raise NotImplementedError

    def dead_end(self, allowed: Mask) -> tuple[int, Mask]:
        """The first token of a sentence that has no label left, and the labels that the
        tokens beside it let it have."""
        raise NotImplementedError
