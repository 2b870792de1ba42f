"""latperc_tagger: sets token.tag, token.pos or token.morph."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from spacy.attrs import MORPH, POS, TAG
from spacy.language import Language
from spacy.parts_of_speech import NAMES as UNIVERSAL_NAMES
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Model

from ..errors.check import check_choice, check_flag
from ..learners.chain import UNKNOWN
from .chain_pipe import ChainPipe
from .component_settings import (
    ConfidenceSettings,
    default_model,
    defaults,
    with_settings,
)
from .extensions import forget_token_scores, write_token_scores
from .forwarded import forwarded
from .prediction import Prediction
from .tag_coder import TagCoder, Values

ATTRIBUTES = {"tag": TAG, "pos": POS, "morph": MORPH}


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
    return tagger


class TagLayer:
    """An attribute of tokens."""

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


class LatpercTagger(ChainPipe):
    """Tags every token."""

    layer: TagLayer
    overwrite = forwarded("layer", "Whether tags that are set change.")
    attribute = forwarded("layer", "The attribute of tokens, by number.", "id")

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Score examples with the scorer of this component."""
        return super().score(examples, attribute=self.layer.name, **kwargs)
