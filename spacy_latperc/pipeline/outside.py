"""Label scores from outside: of another model, a dictionary or any function."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from spacy.tokens import Doc

from ..errors import Errors
from ..errors.check import check_strings
from ..pooling import Table, log_table
from ..schemes import LabelInventory, get_scheme, shared_meaning, split_label
from ..schemes.decode import OUTSIDE
from .doc_reader import describe


@dataclass(frozen=True)
class OutsideScores:
    """A function that gives probabilities of labels.

    Attributes:
        scores: Gives an array [tokens, labels] for a Doc, whose rows need not sum to 1.
            A row of NaN says nothing of its token.
        labels: The labels, in the order of the columns.
        scheme: Their representation.
    """

    scores: Callable[[Doc], Any]
    labels: list[str]
    scheme: str

    def table(
        self, docs: Sequence[Doc], inventory: LabelInventory, *, place: dict[str, str]
    ) -> Table:
        """Return the log probabilities of the labels of an inventory at all tokens.

        Labels of a type that is not known here have the probability of O.

        Args:
            docs: The Docs.
            inventory: The labels of the chain.
            place: The place of the scores in the config, for messages.
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


def outside_scores(
    scores: Callable[[Doc], Any], labels: list[str], scheme: str = "IOB2"
) -> OutsideScores:
    """Use the label probabilities of a function of your own.

    Args:
        scores: A registered function that makes it: a block of its own, below this one.
            It is called with a Doc and returns an array [tokens, labels]. Rows need not
            sum to 1; a row of NaN says nothing of its token.
        labels: The labels of the columns, such as O, B-PER, I-PER.
        scheme: Their representation.
    """
    check_strings("labels", labels)
    letters = get_scheme(scheme).letters
    for label in labels:
        letter, type_ = split_label(label)
        if label != OUTSIDE and (letter not in letters or not type_):
            raise ValueError(Errors.LP662.format(label=label, scheme=scheme))
    return OutsideScores(scores, list(labels), scheme)
