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
from ..schemes.decode import Chunks
from .base import Prediction
from .confidence import ConfidentPipe
from .constraints import Mask
from .defaults import default_model
from .docs import describe
from .extensions import forget_token_scores, write_token_scores
from .saved import Check, check_attribute

ATTRIBUTES = {"tag": TAG, "pos": POS}


@Language.factory(
    "latperc_tagger",
    assigns=["token.tag", "token.pos"],
    default_config={
        "model": default_model("TaggingFeatures", C=0.1),
        "attribute": "tag",
        "overwrite": False,
        "n_best": 1,
        "scores": "none",
        "threshold": 0.0,
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
    n_best: int,
    scores: str,
    threshold: float,
    scorer: Callable | None,
) -> "LatpercTagger":
    """Build a tagger.

    attribute: "tag" or "pos": what it reads in training and sets.
    overwrite: replace tags that are already set; else only empty ones are filled, with
        the best tags beside those.
    n_best: how many analyses doc._.latperc_n_best gets, when more than one.
    scores: what token._.tag_score (or pos_score) says: "none", "marginal" (the
        calibrated probability of the tag) or "margin" (how much worse the best analysis
        with another tag is).
    threshold: tags with a lower score are left empty.
    """
    return LatpercTagger(
        nlp.vocab,
        model,
        name,
        attribute=attribute,
        overwrite=overwrite,
        n_best=n_best,
        scores=scores,
        threshold=threshold,
        scorer=scorer,
    )


class LatpercTagger(ConfidentPipe):
    """Tags every token."""

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "latperc_tagger",
        *,
        attribute: str = "tag",
        overwrite: bool = False,
        **settings: Any,
    ):
        if attribute not in ATTRIBUTES:
            raise ValueError(Errors.LP037.format(attribute=attribute, name=name))
        super().__init__(vocab, model, name, attribute=attribute, **settings)
        self.overwrite = overwrite

    def _cfg_checks(self) -> dict[str, Check]:
        return {**super()._cfg_checks(), "attribute": check_attribute}

    @property
    def layer(self) -> str:
        return self.cfg["attribute"]

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
        found = [self._name(value, doc) for value in values if value]
        sets, _ = self._sets(doc)
        return found + [label for labels in sets.values() for label in labels]

    def _name(self, value: int, doc: Doc) -> str:
        if self.attribute == TAG:
            return doc.vocab.strings[value]
        return UNIVERSAL_NAMES[value]

    def _gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> NDArray[np.int32]:
        values = self._gold_values(examples, same)
        label, found = self._label_ids(values)
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
        rows: dict[int, Mask] = {}
        masks = self._gold_masks(examples, same, batch)
        docs = [example.reference for example in examples]
        self._narrow_gold(label, rows, masks, batch, docs, "its label set allows")
        for token, mask in rows.items():
            label[token] = self.learner.label_set(mask)
        return label

    def _gold_values(
        self, examples: Sequence[Example], same: Sequence[bool]
    ) -> NDArray[np.uint64]:
        """The attribute on the predicted tokens; 0 where there is none."""
        columns = []
        for example, equal in zip(examples, same, strict=True):
            if equal:
                columns.append(example.reference.to_array(self.attribute))
            else:
                aligned = example.get_aligned(self.cfg["attribute"].upper())
                columns.append(
                    np.array([value or 0 for value in aligned], dtype=np.uint64)
                )
        return np.concatenate(columns)

    # Confidence -----------------------------------------------------------------------

    def _answers(
        self, labels: NDArray[np.int32], sentences: NDArray[np.int64]
    ) -> Chunks:
        starts = np.arange(len(labels), dtype=np.int32)
        return starts, starts + np.int32(1), labels

    def _annotations(
        self, labels: NDArray[np.int32], sentences: NDArray[np.int64]
    ) -> list:
        return [self.labels[label] for label in labels.tolist()]

    def _answer_probabilities(
        self, batch: Batch, answers: Chunks, temperature: float
    ) -> NDArray[np.float64]:
        marginals, _ = self.learner.marginals(
            batch.values,
            batch.docs,
            batch.lookup,
            batch.allowed,
            temperature=temperature,
        )
        return marginals[answers[0], answers[2]].astype(np.float64)

    def _answer_margins(
        self, margins: NDArray[np.float32], prediction: Prediction, answers: Chunks
    ) -> NDArray[np.float32]:
        other = margins.copy()
        other[answers[0], answers[2]] = np.inf
        return other.min(axis=1)

    def _withdraw(self, labels: NDArray[np.int32], tokens: NDArray[np.bool_]) -> None:
        labels[tokens] = UNKNOWN

    def _judge(
        self, examples: Sequence[Example], same: Sequence[bool], answers: Chunks
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_], int]:
        gold = self._gold_values(examples, same)
        known = gold != 0
        return self._label_values()[answers[2]] == gold, known, int(known.sum())

    def _gold_state(self, doc: Doc) -> object | None:
        sets = self._sets_state(doc)
        return sets and (sets, doc.to_array(self.attribute).tobytes())

    def _label_ids(
        self, values: NDArray[np.uint64]
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Label ids of values of the attribute, and which of them are labels."""
        known = self._label_values()
        order = np.argsort(known)
        place = np.searchsorted(known, values, sorter=order)
        label = order[np.minimum(place, len(known) - 1)].astype(np.int32)
        return label, known[label] == values

    # Tags set before us ---------------------------------------------------------------

    def _mask(self, labels: Sequence[str], scheme: str) -> Mask | None:
        mask = np.zeros(len(self.labels), dtype=bool)
        for label in labels:
            if label not in self.cfg["labels"]:
                raise KeyError(label)
            mask[self.cfg["labels"].index(label)] = True
        return mask

    def _kept(self, docs: Sequence[Doc], batch: Batch) -> NDArray[np.uint8] | None:
        attribute = self.attribute
        if self.overwrite or not any(d.has_annotation(attribute) for d in docs):
            return None
        values = np.concatenate([doc.to_array(self.attribute) for doc in docs])
        label, found = self._label_ids(values)
        allowed = np.ones((len(values), len(self.labels)), dtype=np.uint8)
        allowed[found] = 0
        allowed[found, label[found]] = 1
        return allowed

    def _dead_end(self, allowed: Mask) -> tuple[int, Mask]:
        empty = np.flatnonzero(~allowed.any(axis=1))
        return int(empty[0]), np.ones(len(self.labels), dtype=bool)

    # Writing --------------------------------------------------------------------------

    def set_annotations(self, docs: Iterable[Doc], scores: Prediction) -> None:
        """Write the predicted tags."""
        # The last one is for the tags that a threshold leaves empty.
        values = np.append(self._label_values(), np.uint64(0))[scores.labels]
        attribute = self.attribute
        keep = not self.overwrite
        at = scores.docs.tolist()
        docs = list(docs)
        for doc, start, end in zip(docs, at[:-1], at[1:], strict=True):
            column = values[start:end]
            if keep and doc.has_annotation(attribute):
                before = doc.to_array(attribute)
                column = np.where(before == 0, column, before)
                forget_token_scores(doc, self.cfg["attribute"])
            doc.from_array([attribute], column)
        if scores.scores is not None:
            self._write_scores(docs, scores, values)
        self._write_n_best(docs, scores)

    def _write_scores(
        self,
        docs: Sequence[Doc],
        prediction: Prediction,
        values: NDArray[np.uint64],
    ) -> None:
        score_of = np.full(len(values), np.nan, dtype=np.float32)
        score_of[prediction.labels != UNKNOWN] = prediction.scores
        at = prediction.docs.tolist()
        for doc, start, end in zip(docs, at[:-1], at[1:], strict=True):
            # A tag that was there before and is another one has no score.
            ours = doc.to_array(self.attribute) == values[start:end]
            found = np.where(ours, score_of[start:end], np.float32(np.nan))
            write_token_scores(doc, self.cfg["attribute"], found)

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        return super().score(examples, attribute=self.cfg["attribute"], **kwargs)
