"""Label scores from outside: of another model, a dictionary or any function."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc

from ..errors import Errors
from ..errors.check import check_positive, check_strings
from ..schemes import LabelInventory, get_scheme, shared_meaning, split_label
from ..schemes.decode import OUTSIDE
from .doc_reader import describe

Table = NDArray[np.float64]  # [tokens, labels]
# So unlikely is what a model calls impossible: others may still outvote it.
LEAST = 1e-12


@dataclass(frozen=True)
class OutsideScores:
    """A function that gives probabilities of labels.

    Attributes:
        scores: Gives an array [tokens, labels] for a Doc, whose rows need not sum to 1.
            A row of NaN says nothing of its token.
        labels: The labels, in the order of the columns.
        scheme: Their representation.
        weight: A factor of the log probabilities.
    """

    scores: Callable[[Doc], Any]
    labels: list[str]
    scheme: str
    weight: float

    def table(
        self, docs: Sequence[Doc], inventory: LabelInventory, *, place: dict[str, str]
    ) -> Table:
        """Return the log probabilities of the labels of an inventory at all tokens.

        Labels of a type that is not known here have the probability of O.
        """
        says = shared_meaning(self.labels, self.scheme, inventory)
        outside = np.array([label == OUTSIDE for label in self.labels])
        known = {split_label(label)[1] for label in self.labels}
        for i, type_ in enumerate(inventory.types):
            if type_ not in known:
                says[:, inventory.type_of == i] = outside[:, None]
        found = [self._read(doc, place) for doc in docs]
        empty = np.zeros((0, len(self.labels)))
        return log_table(np.concatenate([empty, *found]), says)

    def _read(self, doc: Doc, place: dict[str, str]) -> Table:
        """Return the scores of a Doc, checked."""
        given = self.scores(doc)
        try:
            found = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            found = np.zeros(0)
        wanted = (len(doc), len(self.labels))
        if found.shape != wanted:
            shape = getattr(given, "shape", type(given).__name__)
            message = Errors.LP660.format(
                **place, found=shape, doc=describe(doc), wanted=wanted
            )
            raise ValueError(message)
        bad = (found < 0) | np.isinf(found)
        if bad.any():
            token, label = (int(x[0]) for x in np.nonzero(bad))
            raise ValueError(
                Errors.LP661.format(
                    **place,
                    value=found[token, label],
                    label=self.labels[label],
                    token=token,
                    doc=describe(doc),
                )
            )
        return found


def log_table(probabilities: NDArray, says: NDArray[np.bool_]) -> Table:
    """Map the answers of one model to the labels of another.

    Args:
        probabilities: Of its labels, [tokens, own labels]; NaN where it has no opinion.
        says: Which of its labels may stand for each of the others, [own, others].

    Returns:
        Log probabilities that a label of its own is one of those: [tokens, others].
    """
    given = np.asarray(probabilities, dtype=np.float64)
    blank = np.asarray(np.isnan(given).any(axis=1))
    table = np.log(np.clip(np.where(blank[:, None], 1.0, given) @ says, LEAST, 1.0))
    table[blank] = 0.0
    return table


def outside_scores(
    scores: Callable[[Doc], Any],
    labels: list[str],
    scheme: str = "IOB2",
    weight: float = 1.0,
) -> OutsideScores:
    """Use the label probabilities of a function of your own.

    Args:
        scores: A registered function that makes it: a block of its own, below this one.
            It is called with a Doc and returns an array [tokens, labels]. Rows need not
            sum to 1; a row of NaN says nothing of its token.
        labels: The labels of the columns, such as O, B-PER, I-PER.
        scheme: Their representation.
        weight: A factor of the log probabilities: below 1 for a model that is too sure.
    """
    check_positive("weight", weight, zero=True)
    check_strings("labels", labels)
    letters = get_scheme(scheme).letters
    for label in labels:
        letter, type_ = split_label(label)
        if label != OUTSIDE and (letter not in letters or not type_):
            raise ValueError(Errors.LP662.format(label=label, scheme=scheme))
    return OutsideScores(scores, list(labels), scheme, weight)
