"""The component latperc_grammaticality, which scores sentences in doc.cats."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from spacy.errors import Errors as SpacyErrors
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.api import Model

from ..model import get_classifier
from ..pipeline.component_settings import defaults, with_settings
from ..pipeline.extensions import register_extensions
from ..pipeline.saved import Check, check_fit
from .annotations import (
    EXTENSIONS,
    SentencePredictions,
    write_chunks,
)
from .classifier import LatentClassifier
from .grammaticality_settings import GrammaticalitySettings
from .scorer import NEGATIVE, POSITIVE, grammaticality_score
from .sentence_learner import SentenceLearner


@Language.factory(
    "latperc_grammaticality",
    assigns=["doc.cats", "doc.spans"],
    default_config={
        "model": {
            "@architectures": "spacy_latperc.LatentClassifier.v1",
            "features": {"@misc": "spacy_latperc.GrammaticalityFeatures.v1"},
            "learner": {"@misc": "spacy_latperc.LatentPA.v1"},
        },
        **defaults(GrammaticalitySettings),
        "scorer": None,
    },
    default_score_weights={
        "grammaticality_acc": 0.5,
        "grammaticality_auc": 0.5,
        "grammaticality_f": None,
    },
)
@with_settings(GrammaticalitySettings)
def make_grammaticality(
    nlp: Language, name: str, model: Model, scorer: Callable | None, **settings: Any
) -> "LatpercGrammaticality":
    """Build a classifier that tells good sentences from bad ones.

    Args:
        nlp: The pipeline; its vocabulary is shared.
        name: The name of the component.
        model: The classifier of sentences.
        scorer: Scores the categories, in place of `grammaticality_score`.
        settings: See GrammaticalitySettings.
    """
    scorer = scorer or grammaticality_score
    return LatpercGrammaticality(nlp.vocab, model, name, scorer=scorer, **settings)


class LatpercGrammaticality(SentenceLearner):
    """A classifier of good and bad sentences; see `make_grammaticality`."""

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "latperc_grammaticality",
        *,
        scorer: Callable | None = None,
        **settings: Any,
    ):
        self.settings = GrammaticalitySettings(**settings)
        super().__init__(
            vocab,
            model,
            name,
            scorer=scorer,
            cfg={"labels": [POSITIVE, NEGATIVE]},
            n_threads=self.settings.n_threads,
        )
        self._name_labels(vocab)
        register_extensions(EXTENSIONS)

    @property
    def learner(self) -> LatentClassifier:
        """The classifier inside the model."""
        return get_classifier(self.model)

    # Saving ---------------------------------------------------------------------------

    def _cfg_checks(self) -> dict[str, Check]:
        return {**super()._cfg_checks(), "threshold": type(self).threshold.check}

    def _check_weights(self, cfg: dict[str, Any], learner: Any, where: str) -> None:
        """Refuse other labels than the two."""
        check_fit(self.name, where, cfg["labels"], self.labels)

    def _loaded(self) -> None:
        super()._loaded()
        type(self).threshold.take_saved(self)

    # Predicting -----------------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> SentencePredictions:
        """Score the sentences of Docs, which are not changed."""
        docs = list(docs)
        if not self.learner.epoch_size:
            raise ValueError(SpacyErrors.E109.format(name=self.name))
        batch = self.learner.read(self._input(docs), n_threads=self.n_threads)
        found = self.learner.best(batch)
        whole = np.cumsum([0, *map(len, docs)], dtype=np.int64)
        predicted = SentencePredictions(whole, found)
        if not self.settings.explain:
            return predicted
        return predicted._replace(
            contributions=self.learner.contributions(batch, found.labels),
        )

    def set_annotations(self, docs: Iterable[Doc], scores: SentencePredictions) -> None:
        """Write categories, the scores of sentences, and the optional annotation."""
        docs = list(docs)
        super().set_annotations(docs, scores)
        if self.settings.chunks:
            write_chunks(docs, scores.docs, scores.found, self.learner.inventories)
