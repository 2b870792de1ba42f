"""latperc_tagger: sets token.tag or token.pos."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import POS, TAG
from spacy.language import Language
from spacy.parts_of_speech import IDS as UNIVERSAL
from spacy.parts_of_speech import NAMES as UNIVERSAL_NAMES
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..errors import Errors
from ..learners.chain import UNKNOWN
from ..model import Batch
from .base import ChainPipe, Prediction
from .defaults import default_model
from .docs import describe

ATTRIBUTES = {"tag": TAG, "pos": POS}


@Language.factory(
    "latperc_tagger",
    assigns=["token.tag", "token.pos"],
    default_config={
        "model": default_model("TaggingFeatures", C=0.1),
        "attribute": "tag",
        "overwrite": False,
        "scorer": {"@scorers": "spacy_latperc.tagger_scorer.v1"},
    },
    default_score_weights={"tagger_acc": 1.0, "tag_acc": None, "pos_acc": None},
)
def make_tagger(
    nlp: Language,
    name: str,
    model: Model,
    attribute: str,
    overwrite: bool,
    scorer: Callable | None,
) -> "LatpercTagger":
    """Build a tagger.

    attribute: "tag" or "pos": what it reads in training and sets.
    overwrite: replace tags that are already set; else only empty ones are filled.
    """
    return LatpercTagger(
        nlp.vocab, model, name, attribute=attribute, overwrite=overwrite, scorer=scorer
    )


class LatpercTagger(ChainPipe):
    """Tags every token."""

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "latperc_tagger",
        *,
        attribute: str = "tag",
        overwrite: bool = False,
        scorer: Callable | None = None,
    ):
        if attribute not in ATTRIBUTES:
            raise ValueError(Errors.LP037.format(attribute=attribute, name=name))
        super().__init__(
            vocab, model, name, scorer=scorer, attribute=attribute, overwrite=overwrite
        )

    @property
    def attribute(self) -> int:
        return ATTRIBUTES[self.cfg["attribute"]]

    def _label_value(self, label: str) -> int:
        """What the attribute holds for this label."""
        if self.attribute == TAG:
            return self.vocab.strings.as_int(label)
        return UNIVERSAL[label]

    def _check_label(self, label: str) -> None:
        super()._check_label(label)
        if self.attribute == POS and label not in UNIVERSAL:
            raise ValueError(Errors.LP038.format(label=label, name=self.name))

    def _label_values(self) -> NDArray[np.uint64]:
        values = [self._label_value(label) for label in self.labels]
        return np.asarray(values, dtype=np.uint64)

    def _set_learner_labels(self) -> None:
        self.learner.set_labels(self.cfg["labels"])

    def _collect_labels(self, doc: Doc) -> Iterable[str]:
        values = np.unique(doc.to_array(self.attribute)).tolist()
        return [self._name(value, doc) for value in values if value]

    def _name(self, value: int, doc: Doc) -> str:
        if self.attribute == TAG:
            return doc.vocab.strings[value]
        return UNIVERSAL_NAMES[value]

    def _gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> NDArray[np.int32]:
        columns = []
        for example, equal in zip(examples, same, strict=True):
            if equal:
                columns.append(example.reference.to_array(self.attribute))
            else:
                aligned = example.get_aligned(self.cfg["attribute"].upper())
                columns.append(
                    np.array([value or 0 for value in aligned], dtype=np.uint64)
                )
        values = np.concatenate(columns)
        known = self._label_values()
        order = np.argsort(known)
        place = np.searchsorted(known, values, sorter=order)
        label = order[np.minimum(place, len(known) - 1)].astype(np.int32)
        found = known[label] == values
        strange = ~found & (values != 0)
        if strange.any():
            token = int(np.flatnonzero(strange)[0])
            number = int(np.searchsorted(batch.docs, token, side="right")) - 1
            doc = examples[number].reference
            raise ValueError(
                Errors.LP035.format(
                    name=self.name,
                    label=self._name(int(values[token]), doc),
                    doc=describe(doc),
                    known=", ".join(self.labels),
                )
            )
        label[~found] = UNKNOWN
        return label

    def set_annotations(self, docs: Iterable[Doc], scores: Prediction) -> None:
        """Write the predicted tags."""
        values = self._label_values()[scores.labels]
        attribute = self.attribute
        name = self.cfg["attribute"].upper()
        keep = not self.cfg["overwrite"]
        at = scores.docs.tolist()
        for doc, start, end in zip(docs, at[:-1], at[1:], strict=True):
            column = values[start:end]
            if keep and doc.has_annotation(name):
                before = doc.to_array(attribute)
                column = np.where(before == 0, column, before)
            doc.from_array([attribute], column)

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        return super().score(examples, attribute=self.cfg["attribute"], **kwargs)
