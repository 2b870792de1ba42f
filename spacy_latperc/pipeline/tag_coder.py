"""Tags as labels of a chain."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import MORPH, POS
from spacy.morphology import Morphology
from spacy.parts_of_speech import IDS as UNIVERSAL
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors
from ..learners.base import Batch, Prepared
from ..learners.chain import UNKNOWN
from ..schemes.decode import Chunks
from .coder import Coder, find_ids
from .doc_reader import describe
from .prediction import Ids, Mask, Masks, Prediction

Values = NDArray[np.uint64]
NO_FEATURES = "_"  # the label of words that are known to have none


class TagCoder(Coder):
    """Tags as labels of a chain."""

    def __init__(self, owner: Any, layer: Any):
        super().__init__(owner, layer)
        self._valued: tuple[str, ...] | None = None  # labels whose values are held
        self._held: Values = np.zeros(1, dtype=np.uint64)

    # Labels ---------------------------------------------------------------------------

    def check_label(self, label: str) -> None:
        if self.layer.id == POS and label not in UNIVERSAL:
            raise ValueError(Errors.LP038.format(label=label, name=self.name))
        if self.layer.id == MORPH and label != _normal_features(label):
            raise ValueError(Errors.LP037.format(label=label, name=self.name))

    @property
    def extra_columns(self) -> Sequence[int]:
        return [] if self.layer.overwrite else [self.layer.id]

    def collect_labels(self, doc: Doc) -> Iterable[str]:
        """Return the labels of a reference Doc."""
        values = np.unique(self.layer.read(doc)).tolist()
        found = [self.layer.text(value, doc) for value in values if value]
        sets, _ = self.sets(doc)
        return found + [label for labels in sets.values() for label in labels]

    def _values(self) -> Values:
        """Return the value of the attribute for each label."""
        return self._values_and_none()[:-1]

    def _values_and_none(self) -> Values:
        """Return the same, and 0 for no label; cached for short texts."""
        labels = tuple(self.labels)
        if labels != self._valued:
            if self.layer.id == POS:
                values = [UNIVERSAL[label] for label in labels]
            else:
                strings = self.vocab.strings
                values = [strings.as_int(label) for label in labels]
            self._held = np.array([*values, 0], dtype=np.uint64)
            self._valued = labels
        return self._held

    def _ids(self, values: Values) -> tuple[Ids, Mask]:
        """Return the label ids of values, and which of them are labels."""
        return find_ids(values, self._values())

    # Gold -----------------------------------------------------------------------------

    def gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> Ids:
        """Return gold label ids on the predicted tokens."""
        values = self.layer.aligned(examples, same)
        label, found = self._ids(values)
        strange = ~found & (values != 0)
        if strange.any():
            token = int(np.flatnonzero(strange)[0])
            number = int(np.searchsorted(batch.docs, token, side="right")) - 1
            doc = examples[number].reference
            raise ValueError(
                Errors.LP035.format(
                    name=self.name,
                    label=self.layer.text(int(values[token]), doc),
                    doc=describe(doc),
                    known=", ".join(self.labels),
                )
            )
        label[~found] = UNKNOWN
        rows: Masks = {}
        masks = self.gold_masks(examples, same, batch)
        docs = [example.reference for example in examples]
        reason = "its label set allows"
        self.narrow_gold(label, rows, masks, batch, docs, reason)
        self.set_gold(label, rows)
        return label

    # Tags set before us ---------------------------------------------------------------

    def mask(self, labels: Sequence[str], scheme: str) -> Mask | None:
        known = self.labels
        mask = np.zeros(len(known), dtype=bool)
        for label in labels:
            if label not in known:
                raise KeyError(label)
            mask[known.index(label)] = True
        return mask

    def possible(self, docs: Sequence[Doc], batch: Batch) -> NDArray[np.uint8] | None:
        if batch.extra is None or batch.blank:
            return None
        values = batch.extra[:, 0]
        label, found = self._ids(values)
        allowed = np.ones((len(values), len(self.labels)), dtype=np.uint8)
        allowed[found] = 0
        allowed[found, label[found]] = 1
        return allowed

    def dead_end(self, allowed: Mask) -> tuple[int, Mask]:
        empty = np.flatnonzero(~allowed.any(axis=1))
        return int(empty[0]), np.ones(len(self.labels), dtype=bool)

    # Prediction -----------------------------------------------------------------------

    def write(self, docs: Sequence[Doc], prediction: Prediction) -> None:
        """Write what was predicted."""
        # The last one is for the tags that a threshold leaves empty.
        values = self._values_and_none()[prediction.labels]
        self.layer.write(docs, prediction, values)

    # Confidence -----------------------------------------------------------------------

    def probabilities(
        self, batch: Prepared, answers: Chunks, temperature: float
    ) -> NDArray[np.float64]:
        """Return the model's probability of each answer."""
        marginals, _ = self.learner.marginals(batch, temperature)
        return marginals[answers[0], answers[2]].astype(np.float64)

    def withdraw(self, labels: Ids, tokens: Mask) -> None:
        """Remove the labels of tokens."""
        labels[tokens] = UNKNOWN

    def compare(
        self, examples: Sequence[Example], same: Sequence[bool], answers: Chunks
    ) -> tuple[Mask, Mask, int]:
        """Return which answers are correct or on annotated tokens; count gold ones."""
        gold = self.layer.aligned(examples, same)
        known = gold != 0
        return self._values()[answers[2]] == gold, known, int(known.sum())


def _normal_features(label: str) -> str:
    """Return features in spaCy's form: in order, and without duplicates."""
    if not all("=" in feature for feature in label.split("|")):
        return NO_FEATURES
    return Morphology.dict_to_feats(Morphology.feats_to_dict(label))
