"""latperc_tagger: sets token.tag, token.pos or token.morph."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import MORPH, POS, TAG
from spacy.language import Language
from spacy.morphology import Morphology
from spacy.parts_of_speech import IDS as UNIVERSAL
from spacy.parts_of_speech import NAMES as UNIVERSAL_NAMES
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Model

from ..errors import Errors
from ..errors.check import check_choice, check_flag
from ..learners.base import Batch, Prepared
from ..learners.chain import UNKNOWN
from ..schemes.decode import Chunks
from .chain_pipe import ChainPipe
from .coder import Coder, find_ids
from .component_settings import (
    ConfidenceSettings,
    default_model,
    defaults,
    with_settings,
)
from .doc_reader import describe
from .extensions import forget_token_scores, write_token_scores
from .forwarded import forwarded
from .learner_pipe import with_tokenizer
from .prediction import Ids, Mask, Masks, Prediction

ATTRIBUTES = {"tag": TAG, "pos": POS, "morph": MORPH}
Values = NDArray[np.uint64]
NO_FEATURES = "_"  # the label of words that are known to have none


@Language.factory(
    "latperc_tagger",
    assigns=["token.tag", "token.pos", "token.morph"],
    default_config={
        "model": default_model("TaggingFeatures.v1", C=0.1),
        "attribute": "tag",
        "overwrite": False,
        **defaults(ConfidenceSettings),
        "scorer": {"@scorers": "spacy_latperc.scorer.v1"},
    },
    default_score_weights={
        "tagger_acc": 1.0,
        "tag_acc": None,
        "pos_acc": None,
        "morph_acc": None,
    },
)
@with_settings(ConfidenceSettings)
def make_tagger(
    nlp: Language,
    name: str,
    model: Model,
    attribute: str,
    overwrite: bool,
    scorer: Callable | None,
    **settings: Any,
) -> "LatpercTagger":
    """Build a tagger, which sets token.tag, token.pos or token.morph.

    With `scores`, token._.tag_score (or pos_score, morph_score) has the score of each.

    Args:
        nlp: The pipeline.
        name: The name of the component.
        model: A chain (spacy_latperc.ChainModel.v1).
        attribute: "tag", "pos" or "morph": what it learns from and sets. All features
            of a word (Case=Nom|Number=Sing) are one label; "_" is that of words that
            are known to have none.
        overwrite: Replace tags that are already set. With false these stay, and the
            search finds the best tags for the other tokens.
        scorer: Scores the tags in evaluation.
        settings: See ConfidenceSettings.
    """
    check_choice("attribute", attribute, ATTRIBUTES)
    check_flag("overwrite", overwrite)
    tagger = LatpercTagger(
        nlp.vocab,
        model,
        name,
        TagLayer(attribute, overwrite),
        TagCoder,
        tied={"attribute": attribute},
        settings=ConfidenceSettings(**settings),
        scorer=scorer,
    )
    return with_tokenizer(tagger, nlp)


class TagLayer:
    """An attribute of tokens.

    Args:
        attribute: "tag", "pos" or "morph".
        overwrite: If true, replace values that are set.
    """

    def __init__(self, attribute: str, overwrite: bool):
        self.name = self.written = attribute
        self.id = ATTRIBUTES[attribute]
        self.overwrite = overwrite

    def read(self, doc: Doc) -> Values:
        """Read the values of tokens; 0 where there is none."""
        return doc.to_array(self.id)

    def aligned(self, examples: Sequence[Example], same: Sequence[bool]) -> Values:
        """Return gold values on the predicted tokens; 0 where there is none."""
        columns = []
        for example, equal in zip(examples, same, strict=True):
            if equal:
                columns.append(self.read(example.reference))
            else:
                aligned = example.get_aligned(self.name.upper())
                columns.append(
                    np.array([value or 0 for value in aligned], dtype=np.uint64)
                )
        return np.concatenate(columns)

    def text(self, value: int, doc: Doc) -> str:
        """Return the tag that a value stands for."""
        return UNIVERSAL_NAMES[value] if self.id == POS else doc.vocab.strings[value]

    def write(
        self, docs: Sequence[Doc], prediction: Prediction, values: Values
    ) -> None:
        """Write values, and the scores of those that are ours."""
        at = prediction.docs.tolist()
        if self.id == MORPH and docs:
            # The labels may come from another vocabulary.
            vocab = docs[0].vocab
            for value in filter(None, np.unique(values).tolist()):
                vocab.morphology.add(vocab.strings[value])
        columns = values[:, None]  # as spaCy would make it of each Doc's
        keeps = not (self.overwrite or prediction.all_blank)
        for doc, (start, end) in zip(docs, pairwise(at), strict=True):
            column = columns[start:end]
            if keeps and doc.has_annotation(self.id):
                before = self.read(doc)
                column = np.where(before == 0, values[start:end], before)
                forget_token_scores(doc, self.name)
            doc.from_array([self.id], column)
        if prediction.scores is None:
            return
        score_of = np.full(len(values), np.nan, dtype=np.float32)
        score_of[prediction.labels != UNKNOWN] = prediction.scores
        for doc, (start, end) in zip(docs, pairwise(at), strict=True):
            # A tag that was there before and is another one has no score.
            ours = self.read(doc) == values[start:end]
            found = np.where(ours, score_of[start:end], np.float32(np.nan))
            write_token_scores(doc, self.name, found)


class TagCoder(Coder):
    """Tags as labels of a chain."""

    layer: TagLayer

    def __init__(self, owner: Any, layer: TagLayer):
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

    def write(
        self, docs: Sequence[Doc], prediction: Prediction, certain: float
    ) -> None:
        # The last one is for the tags that a threshold leaves empty.
        values = self._values_and_none()[prediction.labels]
        self.layer.write(docs, prediction, values)

    # Confidence -----------------------------------------------------------------------

    def probabilities(
        self, batch: Prepared, answers: Chunks, temperature: float
    ) -> NDArray[np.float64]:
        marginals, _ = self.learner.marginals(batch, temperature)
        return marginals[answers[0], answers[2]].astype(np.float64)

    def margins(
        self, by_label: NDArray[np.float32], prediction: Prediction, answers: Chunks
    ) -> NDArray[np.float32]:
        other = by_label.copy()
        other[answers[0], answers[2]] = np.inf
        return other.min(axis=1)

    def withdraw(self, labels: Ids, tokens: Mask) -> None:
        labels[tokens] = UNKNOWN

    def compare(
        self, examples: Sequence[Example], same: Sequence[bool], answers: Chunks
    ) -> tuple[Mask, Mask, int]:
        gold = self.layer.aligned(examples, same)
        known = gold != 0
        return self._values()[answers[2]] == gold, known, int(known.sum())


def _normal_features(label: str) -> str:
    """Return features in spaCy's form: in order, and without duplicates."""
    if not all("=" in feature for feature in label.split("|")):
        return NO_FEATURES
    return Morphology.dict_to_feats(Morphology.feats_to_dict(label))


class LatpercTagger(ChainPipe):
    """Tags every token."""

    layer: TagLayer
    overwrite = forwarded("layer", "Whether tags that are set change.")
    attribute = forwarded("layer", "The attribute of tokens, by number.", "id")

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Score examples with the scorer of this component."""
        return super().score(examples, attribute=self.layer.name, **kwargs)
