"""latperc_grammaticality: how grammatical a sentence is, in doc.cats."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import IS_SPACE
from spacy.errors import Errors as SpacyErrors
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..calibration import sigmoid
from ..errors import Errors, Warnings
from ..kernels.chains import FeatureBlock
from ..learners.base import Batch, Prepared
from ..model import get_classifier
from ..pipeline.base import Begin, LearnerPipe
from ..pipeline.docs import DocReader, describe
from ..pipeline.extensions import register_extensions
from ..pipeline.gazetteers import with_tokenizer
from ..pipeline.parts import saved_threshold
from ..pipeline.saved import Check, check_threshold
from ..pipeline.settings import defaults, with_settings
from ..pipeline.spaces import Words
from ..pipeline.warm_start import load_component
from ..schemes import get_scheme
from .annotations import (
    EXTENSIONS,
    SentencePredictions,
    write_chunks,
    write_sentence_scores,
    write_worst_spans,
)
from .classifier import LabelledSentences, LatentClassifier, SentenceScores
from .classifier.removal import Costs
from .evidence import (
    ERRORS,
    LATENT,
    LENGTH,
    counts_of,
    kind_of,
    length_columns,
    names_of,
)
from .gathering import SURE, Gathering, costs_of_errors
from .held_out import HeldOutSentences, held_out_evidence
from .joined import Joined
from .scorer import truth
from .settings import OF_SENTENCES, GrammaticalitySettings


@Language.factory(
    "latperc_grammaticality",
    assigns=["doc.cats", "doc.spans"],
    default_config={
        "model": {
            "@architectures": "spacy_latperc.LatentClassifier.v1",
            "features": {"@misc": "spacy_latperc.GrammaticalityFeatures.v1"},
            "learner": {"@misc": "spacy_latperc.LatentPA.v1"},
            "combine": {"@misc": "spacy_latperc.AddViews.v1"},
        },
        **defaults(GrammaticalitySettings),
        "scorer": {"@scorers": "spacy_latperc.grammaticality_scorer.v1"},
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
        scorer: Scores the categories in evaluation.
        settings: See GrammaticalitySettings.
    """
    pipe = LatpercGrammaticality(nlp.vocab, model, name, scorer=scorer, **settings)
    return with_tokenizer(pipe, nlp)


class LatpercGrammaticality(LearnerPipe):
    """Tells real sentences from others; `make_grammaticality` says what it takes."""

    threshold = saved_threshold(
        "settings", "The lowest probability of a good sentence."
    )

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
            raise ValueError(Errors.LP455.format(name=name, labels=labels))
        super().__init__(
            vocab,
            model,
            name,
            scorer=scorer,
            cfg={"labels": labels},
            n_threads=self.settings.n_threads,
        )
        self._seen_classes = {True: 0, False: 0}  # sentences
        self._waiting = LabelledSentences()  # of a pass that is not complete
        self._init_limit = 0.01
        self._joined: tuple[dict[str, Any], Joined] | None = None  # as cfg has it
        self._bare = DocReader(self.learner.plan.columns[:2])  # where sentences begin
        self._name_labels(vocab)
        register_extensions(EXTENSIONS)

    @property
    def learner(self) -> LatentClassifier:
        """The classifier inside the model."""
        return get_classifier(self.model)

    def probabilities(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """That sentences with these margins are grammatical."""
        line = self.calibration
        return sigmoid(margins / line.temperature + line.bias)

    def accepted(self, margins: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether sentences with these margins count as grammatical."""
        return self.probabilities(margins) >= self.threshold

    @property
    def joined(self) -> Joined:
        """What each column of the evidence is worth: `spacy latperc calibrate` finds
        it."""
        saved, kinds = self.cfg.get("joined"), self.settings.evidence
        if saved is None:
            return Joined.first(kinds)
        if self._joined is None or self._joined[0] is not saved:
            self._joined = saved, Joined.from_dict(saved).spread(kinds)
        return self._joined[1]

    # Saving ---------------------------------------------------------------------------

    def _cfg_checks(self) -> dict[str, Check]:
        checks = {"joined": Joined.from_dict, "threshold": check_threshold}
        return {**super()._cfg_checks(), **checks}

    def _loaded(self) -> None:
        super()._loaded()
        type(self).threshold.take_saved(self)

    def _read_cfg(self, saved: dict[str, Any], where: str) -> dict[str, Any]:
        """The labels are settings: they may change, but not change places."""
        found = super()._read_cfg(saved, where)
        mine = self.cfg["labels"]
        if len(found["labels"]) != 2 or found["labels"] == mine[::-1]:
            message = Errors.LP526.format(
                name=self.name,
                key="[positive_label, negative_label]",
                mine=mine,
                saved=found["labels"],
                where=where,
            )
            raise ValueError(message)
        kinds = self.settings.evidence
        joined = found.get("joined", {"columns": names_of(kinds)})["columns"]
        other = {kind_of(column) for column in joined} != set(kinds)
        if other or (self.settings.joined and "joined" not in found):
            message = Errors.LP783.format(
                name=self.name, where=where, saved=joined, mine=names_of(kinds)
            )
            raise ValueError(message)
        return {**found, "labels": mine}

    # Learning -------------------------------------------------------------------------

    def _set_learner_labels(self) -> None:
        """The learner knows of two classes, whatever they are called."""

    def add_label(self, label: str) -> int:
        """There are two labels, and there will be no more."""
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
        """Count the sentences of each class, set the first weights.

        Args:
            get_examples: Gives the training examples.
            nlp: The pipeline.
            labels: Accepted because spaCy passes them (`spacy init labels`).
            init_from: A pipeline with a trained chunker. Views of the same
                representation begin with its weights, the others with zeros. It must
                have the types of the latent chunks, in their order.
            init_component: The chunker there, where it is not the only component of
                this package.
            init_limit: The largest weight to begin with.
        """
        for label in labels or ():
            self.add_label(label)
        self._waiting = LabelledSentences()
        self._seen_classes = {True: 0, False: 0}
        self._init_limit = init_limit
        super().initialize(
            get_examples, nlp=nlp, init_from=init_from, init_component=init_component
        )

    def _warm_start(self, init_from: str | Path | None, component: str | None) -> Begin:
        if init_from is None:
            return None
        chunker = load_component(init_from, component, self.name)
        return partial(self._begin_views, chunker, str(init_from))

    def _begin_views(self, chunker: LearnerPipe, where: str) -> None:
        """Give the weights of a chunker to all views of its representation."""
        scheme = get_scheme(chunker.cfg["scheme"]) if "scheme" in chunker.cfg else None
        schemes = [inventory.scheme for inventory in self.learner.inventories]
        if scheme not in schemes:
            known = ", ".join(x.name for x in schemes)
            name = scheme.name if scheme else "none"
            raise ValueError(Errors.LP462.format(where=where, scheme=name, known=known))
        for view, own in enumerate(schemes):
            if own == scheme:
                self.learner.start_from(
                    chunker.learner, view=view, limit=self._init_limit
                )

    def _start(self, sentences: int, *, keep_features: bool) -> None:
        found = dict(zip(self.labels, self._seen_classes.values(), strict=True))
        for label, n in found.items():
            if not n:
                raise ValueError(Errors.LP460.format(name=self.name, label=label))
        self.learner.start(*found.values(), keep_features=keep_features)

    def _gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> NDArray[np.int32]:
        """The class of each token's Doc: 1, -1, or 0 if that is not known. `learn`
        looks at the first token of each sentence."""
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

    def classes(self, docs: Iterable[Doc]) -> NDArray[np.int8]:
        """What the categories of each Doc say: 1, -1, or 0 for neither."""
        truths = [truth(doc.cats, *self.labels) for doc in docs]
        known = [0 if real is None else 1 if real else -1 for real in truths]
        return np.array(known, dtype=np.int8)

    def learn(
        self, features: list[FeatureBlock], gold: NDArray[np.int32]
    ) -> tuple[float, list[int]]:
        """Learn from a batch; a batch learner learns when the pass is complete. Where
        the margin is no evidence there is nothing to learn."""
        if not self.settings.latent:
            return 0.0, []
        starts = []
        at = 0
        for block in features:
            starts.append(at + block.bounds()[:-1])
            at += block.n_tokens
        first = np.concatenate([np.zeros(0, dtype=np.int64), *starts])
        self._waiting.add(features, gold[first].astype(np.int8))
        if self.learner.settings.needs_all and (
            self._waiting.examples < self.learner.pass_size
        ):
            return 0.0, []
        whole, self._waiting = self._waiting, LabelledSentences()
        return self.learner.update(whole.features, whole.gold).loss, []

    # Predicting -----------------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> SentencePredictions:
        """Margins of the sentences of Docs, or scores from all evidence; the Docs are
        not changed."""
        docs = list(docs)
        if not self.learner.pass_size:
            raise ValueError(SpacyErrors.E109.format(name=self.name))
        words, batch = self._words(docs)
        read, found = self._margins(batch)
        versions = None
        if self.settings.joined:
            joined, table = self.joined, self._evidence(docs, batch, found)
            found = replace(found, scores=joined(table))
            versions = joined.compare(table) if joined.versions else None
        found = replace(found, bounds=words.bounds(found.bounds, found.per_doc))
        predicted = SentencePredictions(words.whole, found, versions=versions)
        if not self.settings.explain:
            return predicted
        if ERRORS in self.settings.evidence:
            wrong = self._gathering.wrong(docs)
            bad = np.flatnonzero(~self.accepted(found.scores))
            costs = costs_of_errors(wrong, found.bounds, bad, self.settings.span_length)
            parts = np.log1p(-np.minimum(wrong, SURE)).astype(np.float32)
            return predicted._replace(contributions=parts, costs=costs)
        if read is None:  # nothing tells one word from another
            return predicted._replace(costs={})
        parts = self.learner.contributions(read, found.labels)
        return predicted._replace(contributions=parts, costs=self._costs(read, found))

    def _words(self, docs: Sequence[Doc]) -> tuple[Words, Batch]:
        """Docs without white space, and what the model sees of them: only where
        sentences begin, if it is not asked. Its own chunks are of all tokens."""
        own = self.settings
        asked = own.chunks or (own.explain and ERRORS not in own.evidence)
        if not own.joined or (own.latent and asked):
            return Words.all_of(docs), self._input(docs)
        if own.latent or self.learner.features.sources:
            words = Words.of(docs)
            return words, self._input(words.docs)
        batch = self._bare.read(docs, [IS_SPACE])
        if batch.beside is None or batch.blank:
            return Words.all_of(docs), batch
        words = Words.of(docs)
        return words, self._bare.read(words.docs)

    def _margins(self, batch: Batch) -> tuple[Prepared | None, SentenceScores]:
        """What the model says of the sentences; zeros if that is no evidence."""
        if not self.settings.latent:
            zeros = np.zeros(len(batch.bounds) - 1)
            none = np.zeros((0, len(zeros)))
            labels = np.zeros((0, len(batch.values)), dtype=np.int32)
            return None, SentenceScores(
                zeros, none, labels, batch.bounds, batch.per_doc
            )
        read = self.learner.read(batch).for_threads(self.n_threads)
        return read, self.learner.best(read)

    # Evidence -------------------------------------------------------------------------

    @property
    def _gathering(self) -> Gathering:
        settings = self.settings
        return Gathering(self.name, settings.evidence, settings.errors_key)

    def _evidence(
        self, docs: Sequence[Doc], batch: Batch, found: SentenceScores
    ) -> NDArray[np.float64]:
        """All that is known of the sentences, [sentences, columns]."""
        own = counts_of(self.learner.features.sources, batch)
        own[LATENT] = found.scores[:, None]
        own[LENGTH] = length_columns(found.bounds)
        return self._gathering.table(docs, batch.per_doc.tolist(), own)

    def fit_evidence(self, batches: Iterable[Sequence[Example]]) -> None:
        """Fit what each column of the evidence is worth; nothing, if there is only the
        margin.

        Args:
            batches: Examples whose predicted Docs are as they are when the component's
                turn comes. Each Doc counts as one sentence. Of Docs that say what they
                were made from, as those of `spacy latperc corrupt` do, the bad ones are
                compared with the good ones.
        """
        if self.settings.joined:
            found = held_out_evidence(self, batches)
            joined = Joined.fit(self.settings.evidence, *found)
            self.cfg["joined"] = joined.to_dict()

    def evidence(self, docs: Sequence[Doc]) -> NDArray[np.float64]:
        """All that is known of the first sentence of each of some Docs, which have
        words: [Docs, columns]."""
        _, batch = self._words(docs)
        _, found = self._margins(batch)
        first = np.cumsum(batch.per_doc) - batch.per_doc
        return self._evidence(docs, batch, found)[first]

    def _costs(self, batch: Prepared, found: SentenceScores) -> dict[int, Costs]:
        """What the spans of ungrammatical sentences cost."""
        bad = np.flatnonzero(~self.accepted(found.scores))
        costs = self.learner.span_costs(
            batch, longest=self.settings.span_length, sentences=bad
        )
        at = found.bounds
        return {s: costs[at[s] : at[s + 1]] for s in bad.tolist()}

    def decisions(self, docs: Iterable[Doc]) -> NDArray[np.bool_]:
        """Which sentences are grammatical."""
        return self.accepted(self.predict(docs).found.scores)

    def prefer(self, docs: Iterable[Doc]) -> int:
        """Which of several versions of a text is the best one, as doc._.preference
        says: the number of its Doc.

        Args:
            docs: The versions, annotated by the components before this one; they are
                not changed.
        """
        docs = list(docs)
        if not docs:
            raise ValueError(Errors.LP787.format(name=self.name))
        found = self.predict(docs)
        scores = found.found.scores if found.versions is None else found.versions
        sums = [float(scores[here].sum()) for _, _, here in found.by_doc(docs)]
        return int(np.argmax(sums))

    def hold_out(self, batches: Iterable[Sequence[Example]]) -> HeldOutSentences:
        """The answers to calibrate on: what it says of held-out examples.

        Args:
            batches: Examples whose predicted Docs are as they are when the component's
                turn comes.
        """
        return HeldOutSentences(self, batches)

    def compare(
        self, examples: Sequence[Example]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Margins of the Docs that have the categories, and whether each is positive.

        Of several sentences in a Doc it is the lowest margin or the mean that counts.
        """
        truths = [truth(example.reference.cats, *self.labels) for example in examples]
        docs = [example.predicted for example in examples]
        found = self.predict(docs)
        margins = [
            self._whole(found.found.scores[sentences])
            for _, _, sentences in found.by_doc(docs)
        ]
        known = [
            (margin, real)
            for margin, real, doc in zip(margins, truths, docs, strict=True)
            if real is not None and len(doc)
        ]
        return (
            np.array([margin for margin, _ in known], dtype=np.float64),
            np.array([real for _, real in known], dtype=bool),
        )

    def set_annotations(self, docs: Iterable[Doc], scores: SentencePredictions) -> None:
        """Write categories, scores of sentences, and what else is asked for."""
        docs = list(docs)
        positive, negative = self.labels
        margins = scores.found.scores
        probabilities = self.probabilities(margins)
        for doc, tokens, sentences in scores.by_doc(docs):
            whole = (
                self._whole(probabilities[sentences]),
                self._whole(margins[sentences]),
            )
            doc.cats = {**doc.cats, positive: whole[0], negative: 1 - whole[0]}
            parts = scores.contributions
            write_sentence_scores(
                doc,
                scores.found.bounds[sentences] - tokens.start,
                probabilities[sentences],
                margins[sentences],
                whole,
                None if parts is None else parts[tokens],
                None if scores.versions is None else scores.versions[sentences],
            )
        if scores.costs is not None:
            write_worst_spans(docs, scores, self.settings.span_count)
        if self.settings.chunks:
            write_chunks(docs, scores.docs, scores.found, self.learner.inventories)

    def _whole(self, values: NDArray[np.float64]) -> float:
        """Of a Doc, from its sentences; 0 without: nothing there is grammatical."""
        if len(values) < 2:
            return float(values[0]) if len(values) else 0.0
        return float(OF_SENTENCES[self.settings.doc](values))

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """What the scorer says, with the labels and the threshold of this component."""
        positive, negative = self.labels
        return super().score(
            examples,
            positive_label=positive,
            negative_label=negative,
            threshold=self.threshold,
            **kwargs,
        )
