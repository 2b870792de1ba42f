"""The component latperc_grammaticality, which scores sentences in doc.cats."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.errors import Errors as SpacyErrors
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..errors import Errors, Warnings
from ..kernels.chains import FeatureBlock
from ..learners.base import Batch
from ..model import get_classifier
from ..pipeline.component_settings import defaults, with_settings
from ..pipeline.doc_reader import describe
from ..pipeline.extensions import register_extensions
from ..pipeline.learner_pipe import LearnerPipe
from ..pipeline.saved import Check
from ..schemes import get_scheme
from .annotations import (
    EXTENSIONS,
    SentencePredictions,
    write_chunks,
)
from .classifier import LabelledSentences, LatentClassifier
from .grammaticality_settings import GrammaticalitySettings
from .load_component import load_component
from .scorer import grammaticality_score, truth
from .sentence_pipe import SentencePipe


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


class LatpercGrammaticality(SentencePipe, LearnerPipe):
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
        labels = [self.settings.positive_label, self.settings.negative_label]
        if not all(labels) or labels[0] == labels[1]:
            raise ValueError(Errors.LP421.format(labels=labels))
        super().__init__(
            vocab,
            model,
            name,
            scorer=scorer,
            cfg={"labels": labels},
            n_threads=self.settings.n_threads,
        )
        self._seen_classes = {True: 0, False: 0}  # sentences
        self._waiting = LabelledSentences()  # of an incomplete epoch
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
        """Accept all weights: the labels of sentences are settings."""

    def _loaded(self) -> None:
        super()._loaded()
        type(self).threshold.take_saved(self)

    def _read_cfg(self, saved: dict[str, Any], where: str) -> dict[str, Any]:
        """Read the labels, which may be renamed but not swapped."""
        cfg = super()._read_cfg(saved, where)
        mine, found = list(self.labels), cfg["labels"]
        if len(found) != 2 or found == mine[::-1]:
            message = Errors.LP526.format(
                name=self.name,
                key="[positive_label, negative_label]",
                mine=mine,
                saved=found,
                where=where,
            )
            raise ValueError(message)
        return {**cfg, "labels": mine}

    # Learning -------------------------------------------------------------------------

    def _set_learner_labels(self) -> None:
        """Do nothing: the learner has two classes, under any names."""

    def add_label(self, label: str) -> int:
        """Refuse other labels than the two."""
        if label not in self.labels:
            known = ", ".join(self.labels)
            raise ValueError(
                Errors.LP459.format(name=self.name, label=label, known=known)
            )
        return 0

    def collect_labels(self, doc: Doc) -> Iterable[str]:
        real = truth(doc.cats, *self.labels)
        if real is not None and len(doc):
            several = doc.has_annotation("SENT_START")
            self._seen_classes[real] += sum(1 for _ in doc.sents) if several else 1
        return ()

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Sequence[str] | None = None,
        init_from: str | Path | None = None,
        init_component: str | None = None,
        init_limit: float = 0.01,
    ) -> None:
        """Count the sentences of each class, and set the initial weights.

        Args:
            get_examples: Gives the training examples.
            nlp: The pipeline.
            labels: Accepted because spaCy passes them (`spacy init labels`).
            init_from: A pipeline with a trained chunker. Views of the same
                representation begin with its weights, the others with zeros. It must
                have the types of the latent chunks, in their order.
            init_component: The name of the chunker, if that pipeline has several
                components of this package.
            init_limit: The largest initial weight.
        """
        for label in labels or ():
            self.add_label(label)
        chunker = None
        if init_from is not None:  # before the corpus is read
            chunker = load_component(init_from, init_component, self.name)
        self._waiting = LabelledSentences()
        self._seen_classes = {True: 0, False: 0}
        super().initialize(get_examples, nlp=nlp)
        if chunker is not None:
            self._begin_views(chunker, str(init_from), init_limit)

    def _begin_views(self, chunker: LearnerPipe, where: str, limit: float) -> None:
        """Give the weights of a chunker to all views of its representation."""
        scheme = get_scheme(chunker.cfg["scheme"]) if "scheme" in chunker.cfg else None
        schemes = [inventory.scheme for inventory in self.learner.inventories]
        if scheme not in schemes:
            known = ", ".join(x.name for x in schemes)
            name = scheme.name if scheme else "none"
            raise ValueError(Errors.LP462.format(where=where, scheme=name, known=known))
        for view, own in enumerate(schemes):
            if own == scheme:
                self.learner.start_from(chunker.learner, view=view, limit=limit)

    def _start(self, sentences: int, *, keep_features: bool) -> None:
        found = dict(zip(self.labels, self._seen_classes.values(), strict=True))
        for label, n in found.items():
            if not n:
                raise ValueError(Errors.LP460.format(name=self.name, label=label))
        self.learner.start(*found.values(), keep_features=keep_features)

    def _gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> NDArray[np.int32]:
        """Return the class of each token's Doc: 1, -1, or 0 for unknown. `learn` reads
        the first token of each sentence."""
        classes = self.classes([example.reference for example in examples])
        if (classes < 0).any():
            several = np.flatnonzero((classes < 0) & (batch.per_doc > 1))
            if len(several):
                doc = describe(examples[several[0]].reference)
                self._warn_once(
                    "several",
                    Warnings.LP917.format(name=self.name, n=len(several), doc=doc),
                )
        return np.repeat(classes.astype(np.int32), np.diff(batch.docs))

    def learn(
        self, features: list[FeatureBlock], gold: NDArray[np.int32]
    ) -> tuple[float, list[int]]:
        """Learn from a batch. A batch learner waits for the end of the epoch."""
        starts = []
        at = 0
        for block in features:
            starts.append(at + block.bounds()[:-1])
            at += block.n_tokens
        first = np.concatenate([np.zeros(0, dtype=np.int64), *starts])
        self._waiting.add(features, gold[first].astype(np.int8))
        if self.learner.settings.needs_all and (
            self._waiting.examples < self.learner.epoch_size
        ):
            return 0.0, []
        whole, self._waiting = self._waiting, LabelledSentences()
        return self.learner.update(whole.features, whole.gold).loss, []

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
